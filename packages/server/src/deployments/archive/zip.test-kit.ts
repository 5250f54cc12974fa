import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipPart {
  name: string | Buffer
  content?: string | Uint8Array
  /** What the archive claims, if it is wrong. */
  size?: number
  packedSize?: number
  crc?: number
  stored?: boolean
  method?: number
  flags?: number
  mode?: number
  extra?: Buffer
  /** 3 for Unix, 0 for DOS and Windows. */
  madeBy?: number
  /** Where the central directory says the entry begins. */
  offset?: number
}

/** A zip archive as bytes, valid or not. */
export function zip(...parts: ZipPart[]): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const part of parts) {
    const entry = zipEntry(part, offset)
    bodies.push(entry.local)
    directory.push(entry.central)
    offset += entry.local.byteLength
  }
  const central = Buffer.concat(directory)
  return Buffer.concat([...bodies, central, endRecord(parts.length, central.byteLength, offset)])
}

function zipEntry(part: ZipPart, offset: number): { local: Buffer; central: Buffer } {
  const name = Buffer.from(part.name)
  const content = Buffer.from(part.content ?? '')
  const body = part.stored ? content : deflateRawSync(content, { level: 1 })
  const extra = part.extra ?? Buffer.alloc(0)

  const shared = Buffer.alloc(26)
  shared.writeUInt16LE(20, 0)
  shared.writeUInt16LE(part.flags ?? 0x800, 2)
  shared.writeUInt16LE(part.method ?? (part.stored ? 0 : 8), 4)
  shared.writeUInt32LE(part.crc ?? crc32(content), 10)
  shared.writeUInt32LE(part.packedSize ?? body.byteLength, 14)
  shared.writeUInt32LE(part.size ?? content.byteLength, 18)
  shared.writeUInt16LE(name.byteLength, 22)
  shared.writeUInt16LE(extra.byteLength, 24)

  const tail = Buffer.alloc(14)
  tail.writeUInt32LE(((part.mode ?? 0o100644) << 16) >>> 0, 6)
  tail.writeUInt32LE(part.offset ?? offset, 10)
  const madeBy = Buffer.from([20, part.madeBy ?? 3])
  return {
    local: Buffer.concat([Buffer.from('PK\x03\x04'), shared, name, extra, body]),
    central: Buffer.concat([Buffer.from('PK\x01\x02'), madeBy, shared, tail, name, extra]),
  }
}

function endRecord(entries: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 0, 'latin1')
  end.writeUInt16LE(entries, 8)
  end.writeUInt16LE(entries, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(offset, 16)
  return end
}

/** An extra field with 64-bit sizes and offset, for entries whose 32 bits are all ones. */
export function zip64Extra(...values: bigint[]): Buffer {
  const extra = Buffer.alloc(4 + values.length * 8)
  extra.writeUInt16LE(1, 0)
  extra.writeUInt16LE(values.length * 8, 2)
  values.forEach((value, i) => {
    extra.writeBigUInt64LE(value, 4 + i * 8)
  })
  return extra
}
