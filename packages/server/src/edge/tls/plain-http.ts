import { httpDate } from '../http-date.ts'

/** Whether a client that should have begun a handshake begins with a method of HTTP. A handshake never starts with a letter. */
export function looksLikeHttp(bytes: Buffer): boolean {
  return /^[A-Z]/i.test(bytes.toString('latin1', 0, 1))
}

const text = 'This port speaks HTTPS. Use https:// in the address.\n'

/** An alert would tell a client of plain HTTP nothing. */
export function plainHttpAnswer(): string {
  return [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${text.length}`,
    `Date: ${httpDate()}`,
    'Connection: close',
    '',
    text,
  ].join('\r\n')
}
