import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import {
  answers,
  brokenSize,
  close,
  contentOf,
  exchange,
  get,
  limits,
  openConnection,
  say,
  statusesIn,
  targetsIn,
} from './connection.test-kit.ts'
import { createMutations } from './mutations.test-kit.ts'
import { protocols } from './socket-pair.test-kit.ts'

const chunked = 'Transfer-Encoding: chunked\r\n'

/** What a request gets that no site answers, by the section of RFC 9112, or of RFC 9110. */
const refusals: Record<string, [status: number, bytes: string]> = {
  '9112, 2.2: a bare LF': [400, 'GET / HTTP/1.1\nHost: a\n\n'],
  '9112, 2.3: another version': [505, 'GET / HTTP/2.0\r\nHost: a\r\n\r\n'],
  '9112, 2.3: the version of a preface': [505, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'.replace('PRI *', 'PRI /')],
  '9112, 3: another protocol': [400, 'DESCRIBE / RTSP/1.0\r\nHost: a\r\n\r\n'],
  '9112, 3: a request line without its end': [400, 'nonsense\r\n'],
  '9112, 3.1: an unknown method': [501, get('/', '', 'BREW')],
  '9112, 3.1: a method in lower case': [501, get('/', '', 'get')],
  '9112, 3.2: two Hosts': [400, get('/', 'Host: a\r\n')],
  '9112, 5: more than 16 KiB of fields': [431, get('/', `X: ${'x'.repeat(17_000)}\r\n`)],
  '9112, 5: more than 16 KiB without an end': [431, `GET /${'x'.repeat(17_000)}`],
  '9112, 5.2: a folded field': [400, get('/', 'X: a\r\n b\r\n')],
  '9112, 6.3: two lengths': [400, get('/', 'Content-Length: 1\r\nContent-Length: 2\r\n')],
  '9110, 9.3.1: a body in GET': [413, `${get('/', 'Content-Length: 3\r\n')}abc`],
  '9110, 9.3.1: a body in chunks': [413, `${get('/', chunked)}3\r\nabc\r\n0\r\n\r\n`],
  '9110, 9.3.6: a tunnel': [405, 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n'],
  '9110, 10.1.1: an expectation that nobody meets': [417, get('/', 'Expect: cake\r\n')],
}

for (const [name, protocol] of Object.entries(protocols)) {
  describe(`over ${name}`, () => {
    for (const [what, [status, bytes]] of Object.entries(refusals)) {
      test(`RFC ${what} gets ${status}, after what was asked before, and the connection ends`, async () => {
        const answers = await exchange(protocol, get('/file') + bytes + get('/after'))
        assert.deepEqual(statusesIn(answers), [200, status])
        assert.ok(!answers.includes('</after>'))
        assert.equal(answers.split('\r\nConnection: close\r\n').length - 1, 1)
        assert.ok(answers.includes(contentOf('/file')), 'nothing is written into the middle of an answer')
      })
    }

    test('RFC 9112, 9.6: nothing follows an answer that closes', async () => {
      for (const after of [get('/after'), 'nonsense\r\n\r\n', '\0']) {
        assert.deepEqual(statusesIn(await exchange(protocol, get('/', close) + after)), [200])
      }
    })

    test('RFC 9112, 2.2: empty lines before a request are ignored', async () => {
      assert.deepEqual(targetsIn(await exchange(protocol, `\r\n\r\n${get('/1')}\r\n${get('/2', close)}`)), [
        '/1',
        '/2',
      ])
    })

    test('RFC 9112, 9.3: HTTP/1.0 closes unless it is asked not to', async () => {
      const old = (path: string, fields = '') => `GET ${path} HTTP/1.0\r\n${fields}\r\n`
      const answers = await exchange(
        protocol,
        old('/1', 'Connection: keep-alive\r\n') + old('/2') + old('/3'),
      )
      assert.deepEqual(targetsIn(answers), ['/1', '/2'])
      assert.deepEqual(answers.match(/(?<=Connection: )[a-z-]+/g), ['keep-alive', 'close'])
    })

    test('RFC 9112, 9.6: a client that sends megabytes before it reads still gets its answer', async () => {
      const size = 4 * 1024 ** 2
      for (const [status, head] of [
        [413, get('/', `Content-Length: ${size}\r\n`)],
        [431, `GET / HTTP/1.1\r\nHost: a\r\nX: `],
      ] as const) {
        using connection = await openConnection(protocol)
        const { client } = connection
        client.pause()
        client.write(head)
        await new Promise<unknown>((resolve) => client.write('x'.repeat(size), resolve))
        assert.deepEqual(statusesIn(await text(client)), [status])
      }
    })

    test('a head that takes too long gets 408, however often a byte of it comes', async () => {
      const more = { limits: { ...limits, headersTimeout: 200 } }
      for (const before of ['', get('/small')]) {
        using connection = await openConnection(protocol, more)
        const { client } = connection
        client.on('error', () => {}).write(`${before}GET / HTTP/1.1\r\nX: `)
        const dribble = setInterval(() => client.write('x'), 10)
        const answers = await text(client)
        clearInterval(dribble)
        assert.deepEqual(statusesIn(answers), before === '' ? [408] : [200, 408])
      }
    })

    test('a head that is cut short gets 400', async () => {
      using connection = await openConnection(protocol)
      connection.client.end('GET / HTTP/1.1\r\nHost: a\r\n')
      assert.deepEqual(statusesIn(await text(connection.client)), [400])
    })

    test('a file that cannot be read gets 503 and is logged, and the connection is kept', async () => {
      const logged: unknown[] = []
      const log = { error: (...said: unknown[]) => void logged.push(said) }
      const answers = await exchange(protocol, get('/missing') + get('/small', close), { log })
      assert.deepEqual(statusesIn(answers), [503, 200])
      assert.equal(logged.length, 1)
    })

    test('headers that would end early are never sent: the answer is 503, and the connection is kept', async () => {
      const split: typeof answers = {
        ...answers,
        answer(request, servername) {
          if (request.target !== '/split') return answers.answer(request, servername)
          return { status: 200, headers: ['X-Test', 'a\r\nSet-Cookie: b=c'], body: { kind: 'none' } }
        },
      }
      const received = await exchange(protocol, get('/split') + get('/small', close), { answers: split })
      assert.deepEqual(statusesIn(received), [503, 200])
      assert.doesNotMatch(received, /Set-Cookie/)
    })

    test('a file that breaks ends the connection, and nothing follows', async () => {
      using connection = await openConnection(protocol)
      const { client } = connection
      let received = ''
      client
        .on('error', () => {})
        .on('data', (chunk) => {
          received += chunk
        })
      client.write(get('/broken') + get('/small'))
      await until(() => client.closed)
      assert.ok(statusesIn(received).length <= 1, 'something followed')
      assert.ok(received.length < brokenSize)
      assert.equal(connection.logged.length, 1)
    })

    test('HEAD gets the head of GET, also for what is refused', async () => {
      const answers = await exchange(protocol, get('/page', '', 'HEAD') + get('/', 'Expect: x\r\n', 'HEAD'))
      assert.deepEqual(statusesIn(answers), [200, 417])
      assert.match(answers, /Content-Length: 4000\r\n/)
      assert.ok(answers.endsWith('\r\n\r\n'))
    })

    test('mutated requests are answered or refused, and none leaves anything behind', async () => {
      const whole = get('/small') + get('/page', 'Range: bytes=0-1\r\n') + get('/file', close)
      const mutate = createMutations([whole, get('/later'), `${get('/', chunked)}0\r\n\r\n`], 7)
      for (let n = 0; n < 100; n++) {
        using connection = await openConnection(protocol)
        const { client, socket } = connection
        client.on('error', () => {})
        const answers = text(client).catch(() => '')
        await say(client, n % 2 === 0 ? [mutate()] : [mutate().slice(0, 30), mutate()], 1)
        client.end()
        for (const status of statusesIn(await answers))
          assert.ok([200, 400, 413, 431, 501, 505].includes(status))
        await until(() => socket.destroyed)
      }
    })
  })
}
