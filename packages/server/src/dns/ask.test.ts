import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { test } from 'node:test'
import { freeDnsPort } from '@masthead/testing/free-port.ts'
import {
  type Answer,
  AUTHORITATIVE_ANSWER,
  CHECKING_DISABLED,
  type Packet,
  RECURSION_DESIRED,
} from 'dns-packet'
import { answerBytes, startAnswerer, truncatedBytes, withLength } from './answerer.test-kit.ts'
import { ask } from './ask.ts'

const question = { name: 'www.acme.test', type: 'A' } as const
const record = (data: string): Answer => ({ name: 'www.acme.test', type: 'A', ttl: 60, data })
const right = record('192.0.2.1')
const wrong = record('192.0.2.66')
const values = async (asked: ReturnType<typeof ask>) => (await asked).answers.map(({ value }) => value)

test('a question is answered, however its name is written', async () => {
  await using server = await startAnswerer(({ packet, reply }) =>
    reply(answerBytes(packet, [{ ...right, name: 'WWW.Acme.Test' }], { flags: AUTHORITATIVE_ANSWER })),
  )
  assert.deepEqual(await ask(server, { name: 'wwW.acme.test.', type: 'A' }), {
    rcode: 'NOERROR',
    authoritative: true,
    answers: [{ name: 'www.acme.test', type: 'A', ttl: 60, value: '192.0.2.1' }],
    authority: [],
    glue: [],
    negativeTtl: null,
  })
})

test('recursion and disabled validation are only requested when asked for', async () => {
  const flags: number[] = []
  await using server = await startAnswerer(({ packet, reply }) => {
    flags.push((packet.flags ?? 0) & (RECURSION_DESIRED | CHECKING_DISABLED))
    reply(answerBytes(packet))
  })
  await ask(server, question)
  await ask(server, question, { recursive: true })
  await ask(server, question, { recursive: true, checkingDisabled: true })
  assert.deepEqual(flags, [0, RECURSION_DESIRED, RECURSION_DESIRED | CHECKING_DISABLED])
})

test('replies to other questions, with another id or that are queries are ignored', async () => {
  await using server = await startAnswerer(({ packet, reply }) => {
    const id = packet.id ?? 0
    reply(answerBytes({ ...packet, id: id ^ 1 }, [wrong]))
    reply(answerBytes({ ...packet, questions: [{ name: 'evil.test', type: 'A' }] }, [wrong]))
    reply(answerBytes({ ...packet, questions: [{ name: 'www.acme.test', type: 'TXT' }] }, [wrong]))
    reply(answerBytes({ ...packet, questions: [{ name: 'www.acme.test', type: 'A', class: 'CH' }] }, [wrong]))
    reply(answerBytes({ ...packet, questions: [] }, [wrong]))
    const noSuchName = 3
    reply(answerBytes({ ...packet, questions: [] }, [], { flags: noSuchName }))
    reply(answerBytes(packet, [wrong], { type: 'query' }))
    reply(Buffer.alloc(0))
    reply(answerBytes(packet, [right]))
  })
  assert.deepEqual(await values(ask(server, question)), ['192.0.2.1'])
})

test('a reply from another address or port is ignored, and the real one is used', async () => {
  const elsewhere = createSocket('udp4').bind(0, '127.0.0.9')
  const otherPort = createSocket('udp4').bind(0, '127.0.0.1')
  await using server = await startAnswerer(({ packet, from, reply }) => {
    const forged = answerBytes(packet, [wrong])
    elsewhere.send(forged, from.port, from.address, () =>
      otherPort.send(forged, from.port, from.address, () => reply(answerBytes(packet, [right]))),
    )
  })
  assert.deepEqual(await values(ask(server, question)), ['192.0.2.1'])
  elsewhere.close()
  otherPort.close()
})

test('a lost query is repeated with another id from another port', async () => {
  const seen = new Map<string, { id: number | undefined; port: number }[]>()
  await using server = await startAnswerer(({ packet, from, reply }) => {
    const name = packet.questions?.[0]?.name ?? ''
    const askedBefore = seen.get(name) ?? []
    seen.set(name, [...askedBefore, { id: packet.id, port: from.port }])
    if (askedBefore.length > 0) reply(answerBytes(packet, [{ ...right, name }]))
  })
  const names = ['a', 'b', 'c', 'd'].map((label) => `${label}.acme.test`)
  const asked = names.map((name) => values(ask(server, { name, type: 'A' })))
  assert.deepEqual(await Promise.all(asked), Array(4).fill(['192.0.2.1']))
  const times = [...seen.values()]
  assert.deepEqual(
    times.map(({ length }) => length),
    [2, 2, 2, 2],
  )
  // One of them may repeat by chance, but not all.
  assert.ok(times.some(([first, second]) => first?.id !== second?.id))
  assert.ok(times.some(([first, second]) => first?.port !== second?.port))
})

test('a server that is older than EDNS is asked without it', async () => {
  await using server = await startAnswerer(({ packet, reply }) => {
    const isOld = packet.additionals?.some(({ type }) => type === 'OPT') === true
    const formatError = 1
    reply(isOld ? answerBytes({ id: packet.id }, [], { flags: formatError }) : answerBytes(packet, [right]))
  })
  assert.deepEqual(await values(ask(server, question)), ['192.0.2.1'])
})

test('a truncated answer is fetched over TCP, even byte by byte', async () => {
  await using server = await startAnswerer(
    ({ packet, reply }) => reply(truncatedBytes(packet)),
    (query, socket) => {
      for (const byte of withLength(answerBytes(query, [right]))) socket.write(Uint8Array.of(byte))
    },
  )
  assert.deepEqual(await values(ask(server, question)), ['192.0.2.1'])
})

test('a truncated answer whose last record is cut in half is fetched over TCP', async () => {
  await using server = await startAnswerer(
    ({ packet, reply }) => reply(answerBytes(packet, [right], { flags: 0x0200 }).subarray(0, -3)),
    (query, socket) => socket.end(withLength(answerBytes(query, [right]))),
  )
  assert.deepEqual(await values(ask(server, question)), ['192.0.2.1'])
})

const brokenTcp: Record<string, Parameters<typeof startAnswerer>[1]> = {
  'that nobody listens for': undefined,
  'with one byte and then nothing': (_, socket) => socket.write(Uint8Array.of(1)),
  'that ends in the middle': (query, socket) => socket.end(withLength(answerBytes(query)).subarray(0, 9)),
  'that is reset': (_, socket) => socket.resetAndDestroy(),
  'that is truncated again': (query, socket) => socket.end(withLength(truncatedBytes(query))),
}
for (const [name, onTcp] of Object.entries(brokenTcp)) {
  test(`a truncated answer by TCP ${name} has its own kind of error`, async () => {
    await using server = await startAnswerer(({ packet, reply }) => reply(truncatedBytes(packet)), onTcp)
    await assert.rejects(ask(server, question, { deadlineMs: 300 }), { name: 'DnsError', kind: 'truncated' })
  })
}

for (const transport of ['UDP', 'TCP']) {
  test(`an answer over ${transport} that would take long to parse is malformed, except for CAA`, async () => {
    const long = (query: Packet) => {
      const [asked = assert.fail()] = query.questions ?? []
      const answers = Array.from(
        { length: 700 },
        (_, index): Answer =>
          asked.type === 'CAA'
            ? {
                name: asked.name,
                type: 'CAA',
                ttl: 60,
                data: { issuerCritical: false, tag: 'issue', value: `ca${index}` },
              }
            : { name: asked.name, type: 'A', ttl: 60, data: `192.0.${index >> 8}.${index & 255}` },
      )
      return answerBytes(query, answers)
    }
    await using server = await startAnswerer(
      ({ packet, reply }) => reply(transport === 'UDP' ? long(packet) : truncatedBytes(packet)),
      (query, socket) => socket.end(withLength(long(query))),
    )
    await assert.rejects(ask(server, question), { name: 'DnsError', kind: 'malformed' })
    const { answers } = await ask(server, { ...question, type: 'CAA' })
    assert.equal(answers.length, 700)
  })
}

test('a reply to another question over TCP is malformed', async () => {
  await using server = await startAnswerer(
    ({ packet, reply }) => reply(truncatedBytes(packet)),
    (query, socket) => socket.end(withLength(answerBytes({ ...query, id: (query.id ?? 0) ^ 1 }))),
  )
  await assert.rejects(ask(server, question), { name: 'DnsError', kind: 'malformed' })
})

test('a query without a reply ends at the deadline', async () => {
  await using server = await startAnswerer(() => {})
  await assert.rejects(ask(server, question, { deadlineMs: 50 }), { name: 'DnsError', kind: 'timeout' })
})

test('a port where nobody listens is unreachable, without waiting', async () => {
  const server = { address: '127.0.0.1', port: await freeDnsPort('127.0.0.1') }
  const deadlineMs = 600_000
  await assert.rejects(ask(server, question, { deadlineMs }), { name: 'DnsError', kind: 'unreachable' })
})

test('a query can be aborted', async () => {
  await using server = await startAnswerer(() => {})
  const leaving = new AbortController()
  const asked = ask(server, question, { signal: leaving.signal })
  leaving.abort(new Error('enough'))
  await assert.rejects(asked, { message: 'enough' })
  await assert.rejects(ask(server, question, { signal: leaving.signal }), { message: 'enough' })
})

for (const name of [
  'a..test',
  '.test',
  'a b.test',
  'a\\046b.test',
  `${'a'.repeat(64)}.test`,
  'a.'.repeat(128),
]) {
  test(`the name ${JSON.stringify(name.slice(0, 20))} is refused before anything is sent`, async () => {
    await using server = await startAnswerer(() => {})
    await assert.rejects(ask(server, { name, type: 'A' }), { name: 'DnsError', kind: 'malformed' })
    assert.equal(server.asked, 0)
  })
}
