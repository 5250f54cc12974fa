import type { Socket } from 'node:net'
import type { FileKind } from './sites.ts'
import type { MixedRequest, Visitor } from './visitor.ts'

const endOfHead = Buffer.from('\r\n\r\n')

/** Visits over HTTP/1.1: one request at a time, the next as soon as the answer is complete. */
export function visitOverHttp1(socket: Socket, visitor: Visitor, scheme: 'http' | 'https'): void {
  const heads = new Map<FileKind, string>()
  let waiting: MixedRequest | null = null
  let status = 0
  let rest: Buffer = Buffer.alloc(0)
  /** Of the body; null while the head is incomplete. */
  let [expected, received]: [number | null, number] = [null, 0]
  socket.on('data', read)
  visitor.send = ask

  function ask(): void {
    waiting = visitor.next()
    if (waiting === null) return
    const { file, isConditional } = waiting
    const condition = isConditional ? `If-None-Match: ${file.etag}\r\n` : ''
    socket.write(`GET ${file.path} HTTP/1.1\r\n${headFor(file.kind)}${condition}\r\n`, 'latin1')
  }

  function headFor(kind: FileKind): string {
    const known = heads.get(kind)
    if (known !== undefined) return known
    // Browsers write the names with capitals here.
    const capital = (name: string) => name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())
    const headers = visitor.headersFor(kind, scheme).map(([name, value]) => `${capital(name)}: ${value}\r\n`)
    const head = `Host: ${visitor.host}\r\nConnection: keep-alive\r\n${headers.join('')}`
    heads.set(kind, head)
    return head
  }

  function read(chunk: Buffer): void {
    let bytes = chunk
    if (expected === null) {
      bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      const end = bytes.indexOf(endOfHead)
      if (end === -1) {
        rest = bytes
        return
      }
      const head = bytes.toString('latin1', 0, end)
      status = Number(head.slice(9, 12))
      const length = status === 304 ? '0' : /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
      // Caddy sends compressed files in chunks.
      const whole = length === undefined ? chunkedLength(bytes, end + endOfHead.length) : null
      if (length === undefined && whole === null) {
        rest = bytes
        return
      }
      rest = Buffer.alloc(0)
      if (whole !== null) {
        finish(whole)
        return
      }
      expected = Number(length)
      bytes = bytes.subarray(end + endOfHead.length)
    }
    received += bytes.length
    if (received >= expected) finish(received)
  }

  function finish(length: number): void {
    if (waiting === null) throw new Error('An answer to no request')
    const request = waiting
    expected = null
    received = 0
    ask()
    visitor.answered(request, status, length)
  }
}

/** Of a body in chunks that starts here (RFC 9112, 7.1); null if it is not complete. */
function chunkedLength(bytes: Buffer, start: number): number | null {
  let [at, length] = [start, 0]
  for (;;) {
    const endOfLine = bytes.indexOf('\r\n', at)
    if (endOfLine === -1) return null
    const size = Number.parseInt(bytes.toString('latin1', at, endOfLine), 16)
    if (Number.isNaN(size)) throw new Error('An answer of unknown length')
    at = endOfLine + 2 + size + 2
    if (at > bytes.length) return null
    if (size === 0) return length
    length += size
  }
}
