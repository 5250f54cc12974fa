import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

interface BrokenServerOptions {
  status?: number
  type: string
  body: string
}

/** A socket that sends the same bytes to every request: what a broken server, or no Masthead server, would say. */
export async function brokenServer({ status = 200, type, body }: BrokenServerOptions) {
  const answer = [
    `HTTP/1.1 ${status} Status`,
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}
