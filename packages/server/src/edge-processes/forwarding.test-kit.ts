import { once } from 'node:events'
import { type IncomingMessage, type RequestListener, type RequestOptions, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { createListener } from '../edge/listener.ts'
import { ResponseCounts } from '../edge/response-counts.ts'
import { createForwarder } from './forward-to-main.ts'
import { listenForEdges, type PlatformSocket } from './platform-socket.ts'

/** An edge's listener that forwards everything over a real socket to `handle`. */
export async function startForwarding(handle: RequestListener, limits: { maxConcurrent?: number } = {}) {
  const folder = await temporaryFolder('passing')
  const path = join(folder.path, 'platform.sock')
  const warned: string[] = []
  const responses = new ResponseCounts()
  const main: { socket: PlatformSocket } = { socket: await listenForEdges(path, handle) }
  const passOn = createForwarder({
    ...limits,
    platformSocket: path,
    responses,
    log: { warn: (_details, message) => void warned.push(message) },
  })
  const listener = await createListener({ host: '127.0.0.1', port: 0, handle: passOn })
  const { port } = listener.address

  function send(options: RequestOptions, body?: string | Buffer) {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    request({ host: '127.0.0.1', port, agent: false, ...options })
      .on('response', resolve)
      .on('error', reject)
      .end(body)
    return promise
  }

  return {
    path,
    port,
    passOn,
    warned,
    responses,
    send,
    async ask(options: RequestOptions = {}, body?: string | Buffer) {
      const answer = await send(options, body)
      return { status: answer.statusCode, headers: answer.headers, body: await text(answer) }
    },
    async dial(): Promise<Socket> {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      return socket.on('error', () => {})
    },
    goAway: () => main.socket.close(),
    async comeBack() {
      main.socket = await listenForEdges(path, handle)
    },
    async [Symbol.asyncDispose]() {
      await listener.close(0)
      await main.socket.close()
      await folder.remove()
    },
  }
}
