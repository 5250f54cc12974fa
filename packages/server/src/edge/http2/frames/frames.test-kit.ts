/** What a client of HTTP/2 says byte by byte, where node's own would not say it (RFC 9113). */
import { flags as flagBits, frameHeadSize, frameTypes } from './protocol.ts'

/** For `tls.connect`: HTTP/2, and a client that does not end its side because the server did. */
export const halfOpen = { ALPNProtocols: ['h2'], allowHalfOpen: true }

export interface Frame {
  type: number
  flags: number
  stream: number
  payload: Buffer
}

/** What is left out is zero or empty. */
type NewFrame = Pick<Frame, 'type'> & Partial<Frame>

export function frame({ type, flags = 0, stream = 0, payload = Buffer.alloc(0) }: NewFrame): Buffer {
  const head = Buffer.alloc(frameHeadSize)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** GET of `/`, by the static table of HPACK and one literal. */
export function getFrame(stream: number, authority: string): Buffer {
  const payload = Buffer.from([0x82, 0x87, 0x84, 0x01, authority.length, ...Buffer.from(authority)])
  return frame({ type: frameTypes.headers, flags: flagBits.endStream | flagBits.endHeaders, stream, payload })
}

export function windowUpdate(stream: number, increment: number): Buffer {
  const payload = Buffer.alloc(4)
  payload.writeUInt32BE(increment)
  return frame({ type: frameTypes.windowUpdate, stream, payload })
}

/** All that is whole; the rest of the bytes is not looked at. */
export function framesIn(bytes: Buffer): Frame[] {
  const frames: Frame[] = []
  let at = 0
  while (at + frameHeadSize <= bytes.length) {
    const end = at + frameHeadSize + bytes.readUIntBE(at, 3)
    if (end > bytes.length) break
    frames.push({
      type: bytes.readUInt8(at + 3),
      flags: bytes.readUInt8(at + 4),
      stream: bytes.readUInt32BE(at + 5),
      payload: bytes.subarray(at + frameHeadSize, end),
    })
    at = end
  }
  return frames
}
