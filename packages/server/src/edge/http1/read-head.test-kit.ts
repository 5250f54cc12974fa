import { readRequestHead } from './request-head.ts'

export function readHead(text: string, end: number = text.length) {
  const bytes = Buffer.from(text, 'latin1')
  return readRequestHead(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, end)
}
