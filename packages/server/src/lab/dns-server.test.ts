import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { decode, encode, type Packet, RECURSION_DESIRED } from 'dns-packet'
import fc from 'fast-check'
import { ask } from '../dns/ask.ts'
import { startDnsServer } from '../dns/server/dns-server.ts'
import type { DnsServer } from '../dns/transport.ts'
import { frame } from '../dns/transport.ts'
import { createZone, type LabZone } from './zone.ts'

const long = 'x'.repeat(2_000)
const zone = createZone(
  [
    { name: 'www.acme.localhost', type: 'A', values: ['127.0.0.1'], ttl: 60 },
    { name: 'long.acme.localhost', type: 'TXT', values: [long], ttl: 60 },
    { name: 'acme.localhost', type: 'CAA', values: ['128 issue "ca.example; a=b"'], ttl: 60 },
  ],
  { platformDomain: 'masthead.localhost', edgeAddresses: ['127.0.0.1'] },
)

async function start(answer: LabZone = zone) {
  const logged: string[] = []
  const log = { warn: (_details: object, message: string) => void logged.push(message) }
  const server = await startDnsServer({ port: 0, answer: async (question) => answer(question), log })
  return { ...server.address, logged, [Symbol.asyncDispose]: () => server.close() }
}

const query = (name: string, more: Partial<Packet> = {}) =>
  encode({ type: 'query', id: 7, questions: [{ name, type: 'A' }], ...more })

/** The UDP reply to raw bytes. */
async function exchange(server: DnsServer, message: Buffer): Promise<Buffer> {
  const socket = createSocket('udp4')
  try {
    socket.send(message, server.port, server.address)
    const [reply] = (await once(socket, 'message', { signal: AbortSignal.timeout(5_000) })) as [Buffer]
    return reply
  } finally {
    socket.close()
  }
}

/** Everything the server sends over TCP until it closes the connection. */
async function overTcp(server: DnsServer, bytes: Buffer): Promise<Buffer> {
  const socket = connect(server.port, server.address)
  socket.end(bytes)
  return buffer(socket)
}

test('a reply is authoritative and repeats the question byte for byte', async () => {
  await using server = await start()
  const reply = decode(await exchange(server, query('wWw.aCmE.localHOST', { flags: RECURSION_DESIRED })))
  assert.equal(reply.id, 7)
  assert.ok(reply.flag_qr && reply.flag_aa && reply.flag_rd && !reply.flag_ra)
  assert.equal(reply.questions?.[0]?.name, 'wWw.aCmE.localHOST')
  assert.deepEqual(reply.additionals, [])
})

test('a long answer is truncated over UDP and complete over TCP', async () => {
  await using server = await start()
  const asked = query('long.acme.localhost', { questions: [{ name: 'long.acme.localhost', type: 'TXT' }] })
  const cut = decode(await exchange(server, asked))
  assert.ok(cut.flag_tc)
  assert.deepEqual(cut.answers, [])
  assert.equal((await ask(server, { name: 'long.acme.localhost', type: 'TXT' })).answers[0]?.value, long)
})

test('critical flag, tag and parameters of a CAA record arrive', async () => {
  await using server = await start()
  const { answers } = await ask(server, { name: 'acme.localhost', type: 'CAA' })
  assert.deepEqual(answers[0]?.caa, { critical: true, tag: 'issue', value: 'ca.example; a=b' })
})

test('several questions on one connection are answered in their order', async () => {
  await using server = await start()
  const questions = [query('www.acme.localhost', { id: 1 }), query('gone.acme.localhost', { id: 2 })]
  const bytes = await overTcp(server, Buffer.concat(questions.map(frame)))
  const second = bytes.subarray(2 + bytes.readUInt16BE(0))
  assert.deepEqual([decode(bytes.subarray(2)).id, decode(second.subarray(2)).id], [1, 2])
})

test('queries for other classes and zone transfers are refused', async () => {
  await using server = await start()
  const rcodeOf = async (question: Packet['questions']) =>
    (await exchange(server, query('', { questions: question }))).readUInt16BE(2) & 0xf
  assert.equal(await rcodeOf([{ name: 'www.acme.localhost', type: 'A', class: 'CH' }]), 5)
  assert.equal(await rcodeOf([{ name: 'acme.localhost', type: 'AXFR' }]), 5)
  assert.equal(await rcodeOf([{ name: 'www.example.com', type: 'A' }]), 5)
})

test('a failure while answering is a SERVFAIL, and is logged', async () => {
  await using server = await start(() => {
    throw new Error('the database is away')
  })
  assert.equal((await ask(server, { name: 'www.acme.localhost', type: 'A' })).rcode, 'SERVFAIL')
  assert.deepEqual(server.logged, ['a DNS query could not be answered'])
})

test('a message that is too long or not a query ends the connection without a reply', async () => {
  await using server = await start()
  for (const bytes of [Buffer.from([0xff, 0xff, 0]), frame(Buffer.from('no question')), Buffer.from([0])]) {
    assert.equal((await overTcp(server, bytes)).length, 0)
  }
})

test('replies are not replied to', async () => {
  await using server = await start()
  const reply = query('www.acme.localhost', { type: 'response', id: 1 })
  const socket = createSocket('udp4')
  socket.send(reply, server.port, server.address)
  socket.send(query('www.acme.localhost', { id: 2 }), server.port, server.address)
  const [first] = (await once(socket, 'message')) as [Buffer]
  assert.equal(decode(first).id, 2)
  socket.close()
})

test('after any input, the next query is answered', async () => {
  await using server = await start()
  const socket = createSocket('udp4')
  const whole = query('www.acme.localhost')
  const damaged = fc
    .record({
      at: fc.nat(whole.length - 1),
      byte: fc.nat(255),
      length: fc.integer({ min: 1, max: whole.length }),
    })
    .map(({ at, byte, length }) => {
      const bytes = Buffer.from(whole)
      bytes[at] = byte
      return bytes.subarray(0, length)
    })
  const anything = fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(damaged, anything), { maxLength: 20 }), async (messages) => {
      for (const message of messages) socket.send(message, server.port, server.address)
      if (messages[0] !== undefined) await overTcp(server, frame(messages[0]))
      const { answers } = await ask(server, { name: 'www.acme.localhost', type: 'A' })
      assert.equal(answers[0]?.value, '127.0.0.1')
    }),
    { numRuns: 100 },
  )
  socket.close()
  assert.deepEqual(server.logged, [])
})
