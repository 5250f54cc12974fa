import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { until } from '@masthead/testing/until.ts'
import fc from 'fast-check'
import {
  answers,
  close,
  contentOf,
  get,
  openConnection,
  say,
  statusesIn,
  targetsIn,
} from './connection.test-kit.ts'
import { protocols } from './socket-pair.test-kit.ts'

/** What becomes of a connection when all was said. */
const endings: Record<string, (connection: Awaited<ReturnType<typeof openConnection>>) => void> = {
  'the client has no more to say': ({ client }) => client.end(),
  'the client leaves': ({ client }) => client.destroy(),
  'the server closes': ({ connections, client }) => {
    connections.drain()
    connections.close()
    client.end()
  },
  'the server lets go': ({ monitor }) => monitor.end(),
}

const kinds = ['/small', '/small', '/page', '/large', '/long', '/later', '/file']

/** Requests as one client sends them: some together, some in pieces, with or without waiting. */
const conversations = fc.record({
  targets: fc.array(
    fc.tuple(fc.constantFrom(...kinds), fc.nat(2)).map(([kind, number]) => `${kind}/${number}`),
    { minLength: 1, maxLength: 25 },
  ),
  cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }),
  turnsBetween: fc.nat(4),
  readsLate: fc.boolean(),
})

/** Answers without their heads. */
const bodiesIn = (answers: string) => answers.split(/HTTP\/1\.1 200 OK\r\n.*?\r\n\r\n/s).slice(1)

for (const [name, protocol] of Object.entries(protocols)) {
  describe(`over ${name}`, () => {
    test('RFC 9112, 9.3.2: every request is answered once, whole and in order, however each answer is made', async () => {
      await fc.assert(
        fc.asyncProperty(conversations, async ({ targets, cuts, turnsBetween, readsLate }) => {
          using connection = await openConnection(protocol)
          const { client } = connection
          const last = get('/small/last', close)
          const parts = divide(targets.map((target) => get(target)).join('') + last, cuts)
          const said = readsLate ? await say(client, parts, turnsBetween) : say(client, parts, 1)
          const answers = await text(client)
          await said
          assert.deepEqual(bodiesIn(answers), [...targets, '/small/last'].map(contentOf))
        }),
        { numRuns: 60 },
      )
    })

    for (const [ending, end] of Object.entries(endings)) {
      test(`what was answered is in order and nothing is left when ${ending}`, async () => {
        await fc.assert(
          fc.asyncProperty(conversations, async ({ targets, cuts, turnsBetween }) => {
            using connection = await openConnection(protocol)
            const { client, socket } = connection
            const closed = new Promise((resolve) => socket.once('close', resolve))
            const answers = text(client).catch(() => '')
            await say(client, divide(targets.map((target) => get(target)).join(''), cuts), turnsBetween)
            end(connection)
            const answered = targetsIn(await answers)
            assert.deepEqual(answered, targets.slice(0, answered.length))
            client.destroy()
            await closed
          }),
          { numRuns: 25 },
        )
      })
    }

    test('a thousand requests in one write are all answered', async () => {
      using connection = await openConnection(protocol)
      connection.client.write(get('/small').repeat(999) + get('/page', close))
      const answered = targetsIn(await text(connection.client))
      assert.deepEqual(answered, [...Array<string>(999).fill('/small'), '/page'])
    })

    test('requests that arrive while an answer is waited for are all answered, however many came before it', async () => {
      for (const before of [0, 1, 3, 30]) {
        const held = Promise.withResolvers<void>()
        const answer: typeof answers.answer = (head, servername) =>
          head.target === '/held'
            ? held.promise.then(() => answers.answer(head, servername))
            : answers.answer(head, servername)
        using connection = await openConnection(protocol, { answers: { ...answers, answer } })
        const { client, socket } = connection
        const first = get('/small').repeat(before) + get('/held')
        const rest = get('/small').repeat(40) + get('/page', close)
        client.write(first)
        await until(() => socket.bytesRead >= first.length)
        await setImmediate()
        client.write(rest)
        await until(() => socket.bytesRead >= first.length + rest.length)
        held.resolve()
        const expected = [...Array(before).fill('/small'), '/held', ...Array(40).fill('/small'), '/page']
        assert.deepEqual(targetsIn(await text(client)), expected)
      }
    })

    test('each request is read with its own headers, whatever the connection sent before', async () => {
      const browser = 'User-Agent: Mozilla/5.0\r\nAccept-Encoding: gzip, br\r\nAccept-Language: de\r\n'
      const sections = [
        ...Array<string>(4).fill(browser),
        `${browser}If-None-Match: "a"\r\n`,
        browser,
        `${browser}If-None-Match: "b"\r\n`,
        `${browser}Range: bytes=0-1\r\n`,
        browser.toLowerCase(),
        browser.replace('gzip, ', ''),
        browser.slice(0, -2).concat('-AT\r\n'),
        '',
        browser,
      ]
      const requests = sections.map((section, number) => get(`/${number}`, section)).join('')
      const expected = sections.map((section) => [
        /language: ([^\r]*)/i.exec(section)?.[1],
        /encoding: ([^\r]*)/i.exec(section)?.[1],
        /match: ([^\r]*)/i.exec(section)?.[1],
        /range: ([^\r]*)/i.exec(section)?.[1],
      ])
      for (const parts of [[requests], divide(requests, [0.1, 0.33, 0.5, 0.77]), [...requests]]) {
        const seen: unknown[] = []
        const answer: typeof answers.answer = (head, servername) => {
          const { headers } = head
          const { 'accept-language': language, 'accept-encoding': encoding, range } = headers
          seen.push([language, encoding, headers['if-none-match'], range])
          return answers.answer(head, servername)
        }
        using connection = await openConnection(protocol, { answers: { ...answers, answer } })
        await say(connection.client, parts, 1)
        connection.client.end()
        assert.equal(statusesIn(await text(connection.client)).length, sections.length)
        assert.deepEqual(seen, expected)
      }
    })

    test('five requests for a long answer are all answered, in one write or byte by byte', async () => {
      for (const path of ['/long', '/file']) {
        const requests = get(path).repeat(4) + get(path, close)
        for (const parts of [[requests], [...requests]]) {
          using connection = await openConnection(protocol)
          const answers = text(connection.client)
          await say(connection.client, parts, parts.length === 1 ? 0 : 1)
          assert.deepEqual(bodiesIn(await answers), Array<string>(5).fill(contentOf(path)))
        }
      }
    })

    test('RFC 9112, 9.6: a half-closed client gets every answer, from memory or not, and then the end', async () => {
      for (const targets of [['/small'], ['/later'], ['/file'], ['/small', '/later', '/long', '/file']]) {
        using connection = await openConnection(protocol)
        connection.client.end(targets.map((target) => get(target)).join(''))
        assert.deepEqual(bodiesIn(await text(connection.client)), targets.map(contentOf))
      }
    })

    test('a client that asks and does not read is not read from', async () => {
      using connection = await openConnection(protocol)
      const { client, socket } = connection
      let asked = 0
      while (client.write(get('/page').repeat(10 + (asked % 2))) && asked < 20_000) {
        asked++
        await setImmediate()
      }
      await until(() => socket.isPaused())
      for (let turn = 0; turn < 50; turn++) await setImmediate()
      const read = socket.bytesRead
      client.write(get('/page').repeat(1000))
      for (let turn = 0; turn < 50; turn++) await setImmediate()
      assert.ok(asked < 20_000, 'everything was read')
      assert.equal(socket.bytesRead, read)
      assert.ok(socket.writableLength < 200_000, `${socket.writableLength} bytes wait for a client`)
    })

    test('draining: all that was sent is answered, and only the last answer says that it is the last', async () => {
      using connection = await openConnection(protocol)
      const { client, connections } = connection
      client.write(get('/small'))
      await once(client, 'data')
      connections.drain()
      client.write(get('/later') + get('/file') + get('/small'))
      const answers = await text(client)
      assert.deepEqual(targetsIn(answers), ['/later', '/file', '/small'])
      assert.deepEqual(answers.match(/(?<=Connection: )[a-z-]+/g), ['keep-alive', 'keep-alive', 'close'])
    })

    test('closing: an answer in progress is finished, and an idle or half-sent request is not waited for', async () => {
      for (const [said, answered] of [
        [get('/file'), ['/file']],
        ['', []],
        ['GET / HT', []],
        [`${get('/small')}GET / HT`, ['/small']],
      ] as const) {
        using connection = await openConnection(protocol)
        const answers = text(connection.client)
        if (said !== '') connection.client.write(said)
        await until(() => connection.socket.bytesRead >= said.length)
        connection.connections.drain()
        connection.connections.close()
        assert.deepEqual(targetsIn(await answers), answered)
      }
    })

    test('closing: what was sent before is answered, also if each answer has to be waited for', async () => {
      const begin = Promise.withResolvers<void>()
      const late: typeof answers = {
        ...answers,
        async answer(request, servername) {
          await begin.promise
          await setImmediate()
          return answers.answer(request, servername)
        },
      }
      using connection = await openConnection(protocol, { answers: late })
      const received = text(connection.client)
      const said = `${get('/1')}${get('/2')}GET / HT`
      connection.client.write(said)
      await until(() => connection.socket.bytesRead >= said.length)
      connection.connections.drain()
      connection.connections.close()
      begin.resolve()
      assert.deepEqual(targetsIn(await received), ['/1', '/2'])
      assert.deepEqual(statusesIn(await received), [200, 200])
    })
  })
}

/** Cut at the given parts of its length. */
function divide(all: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((cut) => Math.floor(cut * all.length)).sort((a, b) => a - b), all.length]
  return places
    .slice(1)
    .map((end, index) => all.slice(places[index], end))
    .filter((word) => word !== '')
}
