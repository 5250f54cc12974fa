import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'

/** The status of every answer to these bytes, whose last request closes the connection. */
async function statusesOf({ httpPort }: MastheadProcess, bytes: string | Buffer): Promise<string[]> {
  const socket = connect(httpPort, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(bytes)
  const answers = (await buffer(socket)).toString('latin1')
  return Array.from(answers.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status = '']) => status)
}

const close = 'Host: localhost\r\nConnection: close\r\n\r\n'

for (const workers of ['1', '2']) {
  test(`other spellings of a URL get around no limit, with ${workers} edge process(es)`, {
    timeout: 300_000,
  }, async () => {
    await using masthead = await MastheadProcess.start({ env: { MASTHEAD_WORKERS: workers } })
    const spellings = [
      '/v1/server',
      '/%761/server',
      '/v%31/%73erver',
      'http://localhost/v1/server',
      'HTTP://LOCALHOST/%76%31/server?x',
      '/v1/server?a=/v1/',
    ]
    let admitted = 0
    // A refusal is delayed: side by side they take less time than one after the other.
    for (let round = 0; round < 25; round++) {
      const asking = spellings.map((target) => statusesOf(masthead, `GET ${target} HTTP/1.1\r\n${close}`))
      for (const [status] of await Promise.all(asking)) if (status !== '429') admitted++
    }
    // On a slow machine the requests may span two windows, but never more.
    assert.ok(admitted >= 60 && admitted <= 120, `${admitted} of 150 were admitted`)
  })
}

test('a refused upload is answered, and neither the connection nor the client is left hanging', {
  timeout: 300_000,
}, async () => {
  await using masthead = await MastheadProcess.start()
  const { key } = await createPublisher(masthead)
  const megabyte = Buffer.alloc(2 ** 20, 'x')
  const length = 4 * megabyte.length
  for (const [as, status] of [
    ['', '401'],
    [`Authorization: Bearer ${key}\r\n`, '404'],
  ] as const) {
    const head = `POST /v1/projects/none/deployments HTTP/1.1\r\nHost: localhost\r\n${as}Content-Type: application/gzip\r\n`
    const next = `GET /healthz HTTP/1.1\r\n${close}`
    const whole = [`${head}Content-Length: ${length}\r\n\r\n`, megabyte, megabyte, megabyte, megabyte, next]
    const chunk = [`${megabyte.length.toString(16)}\r\n`, megabyte, '\r\n']
    const chunked = [`${head}Transfer-Encoding: chunked\r\n\r\n`, ...chunk, ...chunk, '0\r\n\r\n', next]
    for (const parts of [whole, chunked]) {
      const statuses = await statusesOf(masthead, Buffer.concat(parts.map((part) => Buffer.from(part))))
      // The connection stays usable, or is closed after the answer.
      assert.equal(statuses[0], status)
      assert.ok(statuses.length === 1 || statuses[1] === '200', statuses.join())
    }
  }
})

test('signing in repeatedly gives a person no more requests', { timeout: 300_000 }, async () => {
  await using masthead = await MastheadProcess.start()
  const { origin } = masthead
  const person = { email: 'ada@example.com', password: 'a long password of hers' }
  const post = (path: string, body: object) =>
    fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify(body),
    })
  const token = new URL(masthead.firstLink).hash.slice(1)
  assert.ok((await post('/v1/setup', { ...person, name: 'Ada Lovelace', token })).ok)
  const cookies: string[] = []
  for (let session = 0; session < 4; session++) {
    const answer = await post('/v1/session', person)
    assert.ok(answer.ok, `${answer.status}`)
    cookies.push(
      answer.headers
        .getSetCookie()
        .map((cookie) => cookie.split(';')[0])
        .join('; '),
    )
  }
  const statuses: number[] = []
  for (let round = 0; round < 300; round++) {
    const answers = await Promise.all(
      cookies.map(async (cookie) => {
        const answer = await fetch(`${origin}/v1/account`, { headers: { cookie } })
        await answer.arrayBuffer()
        return answer.status
      }),
    )
    statuses.push(...answers)
    if (answers.includes(429)) break
  }
  const admitted = statuses.filter((status) => status === 200).length
  assert.ok(statuses.includes(429) && admitted <= 600, `${admitted} of ${statuses.length} were admitted`)
})
