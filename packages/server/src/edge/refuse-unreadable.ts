import type { Duplex } from 'node:stream'

const statusByCode = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', '413 Content Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
])

/** Answers what could not be read as HTTP. There is no request to answer to, so it goes straight to the socket. */
export function refuseUnreadable(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = statusByCode.get(error.code ?? '') ?? '400 Bad Request'
  const text = `${status}\n`
  const head = `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n`
  socket.end(`${head}Content-Length: ${text.length}\r\n\r\n${text}`, () => socket.destroy())
}
