import {
  defaultWindow,
  frameTypes,
  preface,
  settingIds,
} from '@masthead/server/src/edge/http2/frames/protocol.ts'

/** HTTP/2 as a client writes it (RFC 9113), byte by byte: clients of a benchmark must cost little, or misbehave. */

export function frame(type: number, flag: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flag
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

export function windowUpdate(stream: number, increment: number): Buffer {
  const payload = Buffer.alloc(4)
  payload.writeUInt32BE(increment)
  return frame(frameTypes.windowUpdate, 0, stream, payload)
}

export interface OpeningSettings {
  streamWindow: number
  connectionWindow: number
  headerTableSize: number
}

/** What a client says first: the preface, its settings (header table, no push, window), and its connection's window. */
export function openingWith({ streamWindow, connectionWindow, headerTableSize }: OpeningSettings): Buffer {
  const values = [
    [settingIds.headerTableSize, headerTableSize],
    [settingIds.enablePush, 0],
    [settingIds.initialWindowSize, streamWindow],
  ] as const
  const payload = Buffer.alloc(values.length * 6)
  for (const [index, [name, value]] of values.entries()) {
    payload.writeUInt16BE(name, index * 6)
    payload.writeUInt32BE(value, index * 6 + 2)
  }
  return Buffer.concat([
    preface,
    frame(frameTypes.settings, 0, 0, payload),
    windowUpdate(0, connectionWindow - defaultWindow),
  ])
}
