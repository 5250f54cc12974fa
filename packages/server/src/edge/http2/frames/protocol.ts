/** The numbers of RFC 9113 and RFC 9218. */

export const frameTypes = {
  data: 0x0,
  headers: 0x1,
  priority: 0x2,
  rstStream: 0x3,
  settings: 0x4,
  pushPromise: 0x5,
  ping: 0x6,
  goAway: 0x7,
  windowUpdate: 0x8,
  continuation: 0x9,
  priorityUpdate: 0x10,
} as const

export const flags = { ack: 0x1, endStream: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const

export const errorCodes = {
  noError: 0x0,
  protocolError: 0x1,
  internalError: 0x2,
  flowControlError: 0x3,
  streamClosed: 0x5,
  frameSizeError: 0x6,
  refusedStream: 0x7,
  cancel: 0x8,
  compressionError: 0x9,
  enhanceYourCalm: 0xb,
} as const

export type ErrorCode = (typeof errorCodes)[keyof typeof errorCodes]

export const settingIds = {
  headerTableSize: 0x1,
  enablePush: 0x2,
  maxConcurrentStreams: 0x3,
  initialWindowSize: 0x4,
  maxFrameSize: 0x5,
  maxHeaderListSize: 0x6,
  noRfc7540Priorities: 0x9,
} as const

export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')

export const frameHeadSize = 9
/** The largest payload in either direction: everyone must accept it, and nobody gains by more. */
export const maxFrameSize = 16_384
export const defaultWindow = 65_535
export const maxWindow = 0x7fff_ffff
export const maxStreamId = 0x7fff_ffff

/** Ends the connection with GOAWAY. */
export class Http2Error extends Error {
  override readonly name = 'Http2Error'
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

export function writeFrameHead(
  bytes: Buffer,
  at: number,
  length: number,
  type: number,
  frameFlags: number,
  stream: number,
): void {
  bytes[at] = length >> 16
  bytes[at + 1] = length >> 8
  bytes[at + 2] = length
  bytes[at + 3] = type
  bytes[at + 4] = frameFlags
  bytes[at + 5] = stream >> 24
  bytes[at + 6] = stream >> 16
  bytes[at + 7] = stream >> 8
  bytes[at + 8] = stream
}
