import { randomBytes } from 'node:crypto'

/** 16 random bytes in hex, the first between 40 and 7f: positive, and never shorter than it looks. */
export function newSerial(): string {
  const bytes = randomBytes(16)
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0)
  return bytes.toString('hex')
}
