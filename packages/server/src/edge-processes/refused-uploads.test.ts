import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ClientHttp2Session } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { type Answer, nobody } from '../api/api.test-kit.ts'
import { askStream } from '../edge/https.test-kit.ts'
import { dashboardName, onEachPlatformAtOnce, type Platform } from './platform.test-kit.ts'

const MiB = 1024 ** 2
/** More than the sockets of both sides buffer, so that writing all of it needs a reader. */
const large = Buffer.alloc(12 * MiB, 'x')
const small = Buffer.alloc(8 * 1024, 'x')

interface Refusal {
  route: string
  type: string
  status: number
  key?: string
}

/** Bodies that are refused before or while they are read. */
async function refusals({ api }: Platform): Promise<Refusal[]> {
  const { id } = await api.newAccount()
  const key = await api.newKey(id, ['read', 'deploy', 'admin'])
  const made: Answer<unknown> = await api.send('POST /v1/projects', key.caller, { json: { slug: 'a' } })
  assert.equal(made.status, 201)
  const { secret } = key
  return [
    { route: 'POST /v1/projects/a/deployments', type: 'application/gzip', status: 422, key: secret },
    { route: 'POST /v1/projects/a/deployments', type: 'application/gzip', status: 401 },
    { route: 'POST /v1/logins', type: 'application/json', status: 413 },
    { route: 'POST /v1/projects', type: 'application/gzip', status: 415, key: secret },
    { route: 'PUT /v1/nothing', type: 'application/octet-stream', status: 404 },
  ]
}

function head({ route, type, key }: Refusal, framing: string): string {
  const authorization = key === undefined ? '' : `Authorization: Bearer ${key}\r\n`
  return `${route} HTTP/1.1\r\nHost: ${dashboardName}\r\nContent-Type: ${type}\r\n${authorization}${framing}\r\n\r\n`
}

const framings = {
  'Content-Length': (body: Buffer) => [`Content-Length: ${body.length}`, body] as const,
  chunked: (body: Buffer) =>
    [
      'Transfer-Encoding: chunked',
      Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]),
    ] as const,
}

/** Writes everything before it reads, as many clients do. */
async function writeThenRead(socket: Socket, head: string, body: Buffer): Promise<string> {
  socket.pause()
  const failed = new Promise<never>((_, reject) => socket.once('error', reject))
  socket.write(head)
  await Promise.race([new Promise<void>((resolve) => socket.write(body, () => resolve())), failed])
  return Promise.race([readAnswer(socket), failed])
}

async function readAnswer(socket: Socket): Promise<string> {
  let text = ''
  socket.resume()
  for (;;) {
    const length = /^content-length: *(\d+)/im.exec(text)?.[1]
    const headEnd = text.indexOf('\r\n\r\n')
    if (headEnd !== -1 && length !== undefined && text.length >= headEnd + 4 + Number(length)) return text
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    text += chunk.toString('latin1')
  }
}

async function dial({ edge }: Platform, secure: boolean): Promise<Socket> {
  if (secure) return edge.dial(dashboardName, { ALPNProtocols: ['http/1.1'] })
  const socket = connect(edge.plainPort, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

function upload(session: ClientHttp2Session, { route, type, key }: Refusal, body: Buffer) {
  const [method = '', path = ''] = route.split(' ')
  const authorization: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  return askStream(session, path, { ':method': method, 'content-type': type, ...authorization }, body)
}

// The server reads the rest of a refused upload slowly, and the tests wait for that.
onEachPlatformAtOnce(4, 'an upload that is refused', (start) => {
  for (const secure of [false, true]) {
    for (const [framing, frame] of Object.entries(framings)) {
      test(`is answered, ${secure ? 'over TLS' : 'in plain'}, by ${framing}, for a client that writes first`, async () => {
        await using platform = await start()
        const [header, body] = frame(large)
        for (const refusal of await refusals(platform)) {
          const socket = await dial(platform, secure)
          const answer = await writeThenRead(socket, head(refusal, header), body)
          assert.match(answer, new RegExp(`^HTTP/1\\.1 ${refusal.status} `), refusal.route)
          assert.match(answer, /^connection: close\r$/im)
          assert.match(answer, /"code":/)
          socket.destroy()
        }
      })
    }
  }

  test('leaves the connection usable if it is small', async () => {
    await using platform = await start()
    const all = await refusals(platform)
    const socket = await dial(platform, false)
    for (const refusal of all.filter(({ status }) => status !== 413)) {
      const [header, body] = framings['Content-Length'](small)
      const answer = await writeThenRead(socket, head(refusal, header), body)
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${refusal.status} `), refusal.route)
      socket.write(`GET /v1/server HTTP/1.1\r\nHost: ${dashboardName}\r\n\r\n`)
      assert.match(await readAnswer(socket), /^HTTP\/1\.1 200 /)
    }
    socket.destroy()
  })

  test('over HTTP/2 ends only its own stream', async () => {
    await using platform = await start()
    const session = platform.edge.openSession(dashboardName)
    for (const refusal of await refusals(platform)) {
      const { status, body } = await upload(session, refusal, large.subarray(0, 2 * MiB))
      assert.equal(status, refusal.status, refusal.route)
      assert.match(body.toString(), /"code":/)
      assert.equal((await askStream(session, '/v1/server')).status, 200)
    }
    session.destroy()
  })

  test('is not requested from a client that expects 100-continue', async () => {
    await using platform = await start()
    for (const refusal of await refusals(platform)) {
      const socket = await dial(platform, false)
      socket.write(head(refusal, `Content-Length: ${large.length}\r\nExpect: 100-continue`))
      const [first] = (await once(socket, 'data')) as [Buffer]
      const isRead = refusal.status === 422 || refusal.status === 415
      assert.match(
        first.toString(),
        new RegExp(`^HTTP/1\\.1 ${isRead ? 100 : refusal.status} `),
        refusal.route,
      )
      socket.destroy()
    }
  })

  test('and an accepted one is requested and answered', async () => {
    await using platform = await start()
    const socket = await dial(platform, false)
    const body = JSON.stringify({ client: 'a test' })
    const login = { route: 'POST /v1/logins', type: 'application/json', status: 201 }
    socket.write(head(login, `Content-Length: ${body.length}\r\nExpect: 100-continue`))
    const [go] = (await once(socket, 'data')) as [Buffer]
    assert.match(go.toString(), /^HTTP\/1\.1 100 /)
    socket.write(body)
    assert.match(await readAnswer(socket), /^HTTP\/1\.1 201 /)
    socket.write(`GET /v1/server HTTP/1.1\r\nHost: ${dashboardName}\r\nExpect: miracles\r\n\r\n`)
    const refused = await readAnswer(socket)
    assert.match(refused, /^HTTP\/1\.1 417 /)
    assert.match(refused, /^x-ratelimit-remaining: \d+\r$/im)
    assert.match(refused, /"code":"expectation_failed"/)
    socket.destroy()
    assert.equal((await platform.api.send('GET /v1/server', nobody)).status, 200)
  })
})
