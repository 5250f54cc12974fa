import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { finishRequests } from '../edge/node-http/finish-requests.ts'
import { ObservedResponse } from '../edge/node-http/observed-response.ts'
import { cutOffElsewhere } from '../kernel/sockets/cut-off.ts'
import { type ForwardedClient, longestPreface, noAnswerStatus, readPreface } from './forwarding-protocol.ts'

/**
 * The edge process has already enforced timeouts and sizes, and closes a connection when its client does. Forwarding
 * rewrites headers, so the limit here is higher than at the edge.
 */
const edgeEnforcedLimits = {
  headersTimeout: 0,
  requestTimeout: 0,
  keepAliveTimeout: 0,
  maxHeaderSize: 64 * 1024,
  requireHostHeader: false,
  optimizeEmptyRequests: true,
}

export interface PlatformSocket {
  readonly path: string
  close(): Promise<void>
}

/** Answers what edge processes forward, as if each client had connected directly. */
export async function listenForEdges(path: string, handle: RequestListener): Promise<PlatformSocket> {
  const answer = finishRequests(handle)
  const http = createHttpServer({ ...edgeEnforcedLimits, ServerResponse: ObservedResponse }, answer)
  http.on('checkContinue', answer)
  http.on('checkExpectation', answer)
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    acceptAfterPreface(socket, http)
  })
  // It may be left from a process that was killed and had the same id.
  await rm(path, { force: true })
  // `listen` creates the socket synchronously with this mode, so there is no moment in which others may connect.
  const mask = process.umask(0o177)
  server.listen(path)
  process.umask(mask)
  await once(server, 'listening')
  return {
    path,
    async close() {
      server.close()
      for (const socket of open) socket.destroy()
      await once(server, 'close')
    },
  }
}

function acceptAfterPreface(socket: Socket, http: Server): void {
  let received = Buffer.alloc(0)
  socket.on('error', ignore)
  socket.on('data', read)

  function read(chunk: Buffer): void {
    received = Buffer.concat([received, chunk])
    const end = received.indexOf('\n')
    if (end === -1 && received.length <= longestPreface) return
    socket.off('data', read)
    const client = readPreface(received.toString('latin1', 0, end))
    if (client === null) socket.destroy()
    else handOver(client, received.subarray(end + 1))
  }

  function handOver({ address, scheme }: ForwardedClient, unread: Buffer): void {
    socket.off('error', ignore)
    Object.defineProperties(socket, {
      remoteAddress: { value: address },
      encrypted: { value: scheme === 'https' },
    })
    cutOffElsewhere(socket, () => socket.end(`HTTP/1.1 ${noAnswerStatus}\r\nConnection: close\r\n\r\n`))
    http.emit('connection', socket)
    if (unread.length > 0) socket.unshift(unread)
  }
}

/** An error is always followed by a close. */
function ignore(): void {}
