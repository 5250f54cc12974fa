import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { noBody } from '../assets/reply.ts'
import type { CacheGeneration } from '../cache/invalidation.ts'
import { openPair, type Protocol, protocols } from '../http1/socket-pair.test-kit.ts'
import { createFastPath, type FastPathAnswer } from './fast-path.ts'

/** The ways that an answer can go out: past the stream, by the stream, and by node:http. */
const sizes = { small: 100, page: 4000, large: 100_000, long: 300_000 }

/** A fast path with everything in memory but `/cold…` and `/later…`; the latter is there at the second attempt. */
function openFastPath() {
  const generation: CacheGeneration = { isStale: false }
  const replies = new Map<string, FastPathAnswer>()
  const loaded = new Set<string>()
  // Short: over TLS node:http refuses what was decrypted together with what made it pause.
  const server = createServer((req, res) => res.end(`<${req.url}>`))
  return createFastPath({
    answer: ({ target }): FastPathAnswer => {
      if (target.startsWith('/cold')) return null
      if (target.startsWith('/later') && !loaded.has(target)) {
        loaded.add(target)
        return setImmediate()
      }
      const known = replies.get(target)
      if (known !== undefined) return known
      const content = Buffer.from(bodyOf(target))
      const headers = ['Content-Length', String(content.length)]
      const answer = { reply: { status: 200, headers, body: noBody }, content, generation }
      replies.set(target, answer)
      return answer
    },
    handOver: (socket) => server.emit('connection', socket),
  })
}

function bodyOf(target: string): string {
  const size = Object.entries(sizes).find(([name]) => target.startsWith(`/${name}`))?.[1] ?? 10
  return `<${target}>`.padEnd(size, '.')
}

const get = (path: string, fields = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`

const targetsIn = (answers: string) => [...answers.matchAll(/<(\/[^>]*)>/g)].map(([, target]) => target)

async function enter(protocol: Protocol) {
  const pair = await openPair(protocol)
  const fastPath = openFastPath()
  fastPath.accept(pair.socket)
  return { ...pair, fastPath }
}

async function say(client: Socket, words: readonly string[], turnsBetween: number): Promise<void> {
  for (const word of words) {
    client.write(word)
    for (let turn = 0; turn < turnsBetween; turn++) await setImmediate()
  }
}

/** What becomes of a connection when all was said. */
const endings: Record<string, (pair: Awaited<ReturnType<typeof enter>>) => void> = {
  'the client has no more to say': ({ client }) => client.end(),
  'the client leaves': ({ client }) => client.destroy(),
  'the fast path closes': ({ fastPath, client }) => {
    fastPath.close()
    client.end()
  },
  'the server lets go': ({ socket }) => socket.destroy(),
}

const kinds = ['/small', '/small', '/page', '/large', '/long', '/later', '/cold']

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

for (const [name, protocol] of Object.entries(protocols)) {
  describe(`over ${name}`, () => {
    test('every request is answered once and in order, whichever way each answer goes', async () => {
      await fc.assert(
        fc.asyncProperty(conversations, async ({ targets, cuts, turnsBetween, readsLate }) => {
          using pair = await enter(protocol)
          const last = get('/small/last', 'Connection: close\r\n')
          const words = divide(targets.map((target) => get(target)).join('') + last, cuts)
          const said = readsLate ? await say(pair.client, words, turnsBetween) : say(pair.client, words, 1)
          const answers = await text(pair.client)
          await said
          assert.deepEqual(targetsIn(answers), [...targets, '/small/last'])
        }),
        { numRuns: 60 },
      )
    })

    for (const [ending, end] of Object.entries(endings)) {
      test(`what was answered is in order and nothing is left when ${ending}`, async () => {
        await fc.assert(
          fc.asyncProperty(conversations, async ({ targets, cuts, turnsBetween }) => {
            using pair = await enter(protocol)
            const { client, socket } = pair
            const closed = new Promise((resolve) => socket.once('close', resolve))
            const answers = text(client).catch(() => '')
            await say(client, divide(targets.map((target) => get(target)).join(''), cuts), turnsBetween)
            end(pair)
            const answered = targetsIn(await answers)
            assert.deepEqual(answered, targets.slice(0, answered.length))
            client.destroy()
            await closed
          }),
          { numRuns: 25 },
        )
      })
    }

    test('the same request again and again is answered every time, however quickly it comes', async () => {
      using pair = await enter(protocol)
      const answers = text(pair.client)
      await say(
        pair.client,
        Array.from({ length: 500 }, () => get('/small')),
        0,
      )
      pair.client.write(get('/page', 'Connection: close\r\n'))
      assert.deepEqual(targetsIn(await answers), [...Array<string>(500).fill('/small'), '/page'])
    })

    test('a client that asks and does not read is not read from', async () => {
      using pair = await enter(protocol)
      const { client, socket } = pair
      const request = get('/page')
      let asked = 0
      while (client.write(request.repeat(1 + (asked % 2))) && asked < 200_000) {
        asked++
        await setImmediate()
      }
      for (let turn = 0; turn < 50; turn++) await setImmediate()
      const read = socket.bytesRead
      client.write(request.repeat(1000))
      for (let turn = 0; turn < 50; turn++) await setImmediate()
      assert.ok(asked < 200_000, 'everything was read')
      assert.equal(socket.bytesRead, read)
      assert.ok(socket.writableLength < 200_000, `${socket.writableLength} bytes wait for a client`)
    })

    test('a half-closed client gets the answers and then the end', async () => {
      for (const targets of [['/small'], ['/page', '/page'], ['/small', '/large']]) {
        using pair = await enter(protocol)
        await say(
          pair.client,
          targets.map((target) => get(target)),
          3,
        )
        pair.client.end()
        assert.deepEqual(targetsIn(await text(pair.client)), targets)
      }
    })

    test('closing comes after what was answered and is not written yet', async () => {
      using pair = await enter(protocol)
      const answers = text(pair.client)
      pair.client.write(get('/small'))
      while (pair.socket.bytesRead === 0) await setImmediate()
      pair.fastPath.close()
      assert.deepEqual(targetsIn(await answers), ['/small'])
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
