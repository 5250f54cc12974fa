import { gzipSync } from 'node:zlib'

export interface TarPart {
  name: string | Buffer
  content?: string | Uint8Array
  type?: string
  prefix?: string
  magic?: string
  /** Replaces the twelve bytes of the size. */
  size?: string | Buffer
  linkName?: string
}

/** One entry as bytes, valid or not: header, content, padding. */
export function tarPart({
  name,
  content = '',
  type = '0',
  prefix = '',
  magic = 'ustar\x0000',
  size,
  linkName = '',
}: TarPart): Buffer {
  const body = Buffer.from(content)
  const header = Buffer.alloc(512)
  header.set(Buffer.from(name).subarray(0, 100), 0)
  header.write('0000644\0', 100, 'latin1')
  header.set(Buffer.from(size ?? `${body.byteLength.toString(8).padStart(11, '0')}\0`), 124)
  header.write('00000000000\0', 136, 'latin1')
  header.write(type, 156, 'latin1')
  header.write(linkName, 157)
  header.write(magic, 257, 'latin1')
  header.write(prefix, 345)
  return Buffer.concat([sealed(header), body, Buffer.alloc((512 - (body.byteLength % 512)) % 512)])
}

/** Writes the checksum into a header. */
export function sealed(header: Buffer): Buffer {
  header.fill(' ', 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}

export function paxPart(records: Record<string, string>, type = 'x'): Buffer {
  return tarPart({ name: 'PaxHeader', type, content: Object.entries(records).map(paxRecord).join('') })
}

function paxRecord([key, value]: [string, string]): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`)
  let length = rest
  while (length !== rest + String(length).length) length = rest + String(length).length
  return `${length} ${key}=${value}\n`
}

export const endOfArchive = Buffer.alloc(1024)

export function tar(...parts: (TarPart | Buffer)[]): Buffer {
  return Buffer.concat([...parts.map((part) => (Buffer.isBuffer(part) ? part : tarPart(part))), endOfArchive])
}

export function tarGz(...parts: (TarPart | Buffer)[]): Buffer {
  return gzipSync(tar(...parts), { level: 1 })
}
