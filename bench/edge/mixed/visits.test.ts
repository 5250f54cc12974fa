import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttp1Server, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2'
import { type AddressInfo, connect, type Server } from 'node:net'
import { test } from 'node:test'
import { visitOverHttp1 } from './http1-visit.ts'
import { visitOverHttp2 } from './http2-visit.ts'
import { type ExpectedFile, shareOut, type Visitor } from './visitor.ts'

const kinds = ['document', 'style', 'script', 'image', 'font'] as const
const etag = '"a~1_Z"'
const files = kinds.flatMap((kind, n): ExpectedFile[] =>
  ['one.test', 'two.test'].map((host) => {
    return {
      host,
      kind,
      path: n === 0 ? '/' : `/a_b~${n}.css`,
      file: '',
      weight: n + 1,
      bytes: 30_000 * n,
      etag,
    }
  }),
)
const requests = 200

interface Seen {
  answered: number
  notModified: number
  agents: Set<string | undefined>
  hosts: Set<string | undefined>
}

/** Answers as `files` says, and notes who asked. */
function answer(seen: Seen) {
  return (request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse) => {
    const host = request.headers.host ?? String(request.headers[':authority'])
    const file = files.find((each) => each.host === host && each.path === request.url)
    assert(file, `${host}${request.url}`)
    seen.answered++
    seen.hosts.add(host)
    seen.agents.add(request.headers['user-agent'])
    const isCurrent = request.headers['if-none-match'] === etag
    if (isCurrent) seen.notModified++
    response.statusCode = isCurrent ? 304 : 200
    if (!isCurrent && seen.answered % 2 === 0) response.setHeader('content-length', file.bytes)
    response.end(Buffer.alloc(isCurrent ? 0 : file.bytes))
  }
}

async function visitAll(
  server: Server,
  speak: (socket: ReturnType<typeof connect>, visitor: Visitor) => void,
) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const visitors = shareOut(10, files)
  const sockets = visitors.map((visitor) => {
    const socket = connect(port, '127.0.0.1')
    speak(socket, visitor)
    return socket
  })
  // Twice: the second time all headers are known to the server.
  for (let round = 0; round < 2; round++)
    await Promise.all(visitors.map((visitor) => visitor.visit(requests)))
  for (const socket of sockets) socket.destroy()
  server.close()
}

for (const protocol of ['HTTP/1.1', 'HTTP/2']) {
  test(`visitors get every answer over ${protocol} as different browsers, and ask for a fifth again`, async () => {
    const seen: Seen = { answered: 0, notModified: 0, agents: new Set(), hosts: new Set() }
    if (protocol === 'HTTP/2') await visitAll(createHttp2Server(answer(seen)), visitOverHttp2)
    else
      await visitAll(createHttp1Server(answer(seen)), (socket, visitor) =>
        visitOverHttp1(socket, visitor, 'http'),
      )
    assert.equal(seen.answered, 10 * 2 * requests)
    const share = seen.notModified / seen.answered
    assert(share > 0.15 && share < 0.25, `${share}`)
    assert.equal(seen.agents.size, 5)
    assert.equal(seen.hosts.size, 2)
  })
}

test('an answer of another length voids the measurement', () => {
  const [visitor] = shareOut(2, files)
  void visitor?.visit(1)
  const request = visitor?.next()
  assert(request)
  assert.throws(() => visitor?.answered(request, 200, request.file.bytes + 1), /with \d+ bytes/)
})
