import assert from 'node:assert/strict'
import { once } from 'node:events'
import { STATUS_CODES } from 'node:http'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { startEdge } from './edge.test-kit.ts'
import type { Edge } from './edge.ts'
import { httpDate } from './http-date.ts'
import { createListener } from './listener.ts'
import { get, publishAll, requests, withoutTime } from './same-answers.test-kit.ts'

const close = 'Connection: close\r\n'

/** All answers to these requests, the last of which closes the connection. */
async function exchange(port: number, requests: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(requests)
  return (await buffer(socket)).toString('latin1')
}

/** The answers to a request, with keep-alive and with close. */
async function answersFrom(port: number, host: string, path: string, fields: string): Promise<string> {
  const requests =
    get(host, path, fields) + get(host, path, fields, 'HEAD') + get(host, path, `${fields}${close}`)
  return withoutTime(await exchange(port, requests))
}

test('node:http, which proxies may need, answers for sites like our own HTTP/1.1', async () => {
  await using edge = await startEdge()
  const fieldLists = await publishAll(edge)
  const { handle } = edge.edge
  await using stack = new AsyncDisposableStack()
  const viaHttp = stack.adopt(await createListener({ host: '127.0.0.1', port: 0, handle }), (listener) =>
    listener.close(0),
  )
  const own = edge.listener

  const statuses = new Set<string | undefined>()
  for (const [host, paths] of requests) {
    for (const path of paths) {
      for (const fields of fieldLists) {
        const expected = await answersFrom(viaHttp.address.port, host, path, fields)
        const answers = await answersFrom(own.address.port, host, path, fields)
        assert.equal(answers, expected, `${host}${path} ${fields}`)
        for (const [, status] of answers.matchAll(/HTTP\/1\.1 (\d+) /g)) statuses.add(status)
      }
    }
  }
  assert.deepEqual([...statuses].sort(), [
    '200',
    '206',
    '301',
    '302',
    '303',
    '304',
    '307',
    '308',
    '404',
    '412',
    '416',
  ])
})

/** What the router says, written down as HTTP/1.1. */
async function written(
  edge: Edge,
  host: string,
  path: string,
  fields: string,
  method: string,
  connection: string,
): Promise<string> {
  const lines = fields.split('\r\n').filter((line) => line !== '')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  )
  const reply = await edge.answers.answer({ method, target: path, host, headers }, null)
  assert.ok(reply)
  const opened = await edge.answers.openBody(reply.body, null)
  const body = opened.bytes ?? Buffer.alloc(opened.length)
  if (opened.bytes === null) await opened.read(0, body)
  let head = `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status]}\r\n`
  for (let at = 0; at < reply.headers.length; at += 2)
    head += `${reply.headers[at]}: ${reply.headers[at + 1]}\r\n`
  return `${head}Date: ${httpDate()}\r\nConnection: ${connection}\r\n\r\n${body.toString('latin1')}`
}

test('an answer is the reply of the router, byte for byte', async () => {
  await using edge = await startEdge()
  const fieldLists = await publishAll(edge)
  for (const [host, paths] of requests) {
    for (const path of paths) {
      let asked = ''
      let expected = ''
      const last = fieldLists.at(-1)
      for (const fields of fieldLists) {
        for (const method of ['HEAD', 'GET']) {
          const connection = fields === last && method === 'GET' ? 'close' : 'keep-alive'
          asked += get(host, path, `${fields}Connection: ${connection}\r\n`, method)
          expected += await written(edge.edge, host, path, fields, method, connection)
        }
      }
      const answers = await exchange(edge.listener.address.port, asked)
      assert.equal(withoutTime(answers), withoutTime(expected), `${host}${path}`)
    }
  }
})

test('other methods, other hosts and large files are answered too', async () => {
  await using edge = await startEdge()
  await edge.publish('hello', { '/index.html': 'front', '/large': Buffer.alloc(2_000_000) })
  const { port } = edge.listener.address
  const site = 'hello.masthead.localhost'
  const statusOf = async (host: string, path = '/', method = 'GET') =>
    (await exchange(port, get(host, path, close, method))).split('\r\n')[0]
  assert.equal(await statusOf(site), 'HTTP/1.1 200 OK')
  assert.equal(await statusOf(site, '/', 'DELETE'), 'HTTP/1.1 405 Method Not Allowed')
  assert.equal(await statusOf('masthead.localhost'), 'HTTP/1.1 302 Found')
  assert.equal(await statusOf('elsewhere.example'), 'HTTP/1.1 404 Not Found')
  assert.equal(await statusOf('a b'), 'HTTP/1.1 400 Bad Request')
  assert.ok((await exchange(port, get(site, '/large', close))).length > 2_000_000)
  assert.match(await exchange(port, get('localhost', '/v1', close)), /platform \/v1$/)
})

test('a client that ends its side gets its answer, whether memory has it or not', async () => {
  await using edge = await startEdge()
  await edge.publish('hello', { '/index.html': 'front', '/large': Buffer.alloc(2_000_000) })
  for (const [path, length] of [
    ['/', 5],
    ['/', 5],
    ['/large', 2_000_000],
  ] as const) {
    const socket = connect(edge.listener.address.port, '127.0.0.1')
    socket.end(get('hello.masthead.localhost', path))
    const answer = await buffer(socket)
    assert.equal(answer.length - answer.indexOf('\r\n\r\n') - 4, length)
  }
})
