import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { requirePeer, skipWithout } from '@masthead/testing/peers/peers.ts'
import { until } from '@masthead/testing/until.ts'
import { decode, encode, type Packet, type Question } from 'dns-packet'
import type { Database } from '../../database/database.ts'
import { onEachDatabase, openSqlite } from '../../database/each-database.test-kit.ts'
import { ask } from '../../dns/ask.ts'
import { type DnsServer, frame } from '../../dns/transport.ts'
import { putChallenges } from '../jobs/challenge-store.ts'
import { startChallengeDns } from './challenge-dns.ts'
import { challengeValue, createChallengeValues } from './challenge-values.ts'
import type { ResponseLimits } from './response-rate.ts'

const zone = 'acme.pages.test'
const label = 'k3v9x2m1qp'
const name = `${label}.${zone}`
const keyAuthorization = 'token.thumbprint'
const at = Date.UTC(2030, 0, 1)

async function start(database: Database, responseLimits?: ResponseLimits) {
  const replies: string[] = []
  const server = await startChallengeDns({
    database,
    now: () => at,
    listen: { address: '127.0.0.1', port: 0 },
    naming: { platformDomain: 'pages.test', edgeAddresses: ['192.0.2.7', '2001:db8::7'] },
    onReply: ({ rcode }) => void replies.push(rcode),
    ...(responseLimits && { responseLimits }),
    log: { warn: () => {} },
  })
  return { ...server.address, replies, [Symbol.asyncDispose]: () => server.close() }
}

const store = (database: Database, token: string, some: { label?: string; expires_at?: number } = {}) =>
  database.write((tx) =>
    putChallenges(tx, [
      {
        token,
        name: 'www.acme.test',
        kind: 'dns-01',
        key_authorization: `${token}.thumbprint`,
        expires_at: at + 1_000,
        label,
        ...some,
      },
    ]),
  )

const query = (question: Question, more: Partial<Packet> = {}) =>
  encode({ type: 'query', id: 7, questions: [question], ...more })

async function overUdp(server: DnsServer, message: Buffer): Promise<Buffer> {
  const socket = createSocket('udp4')
  try {
    socket.send(message, server.port, server.address)
    const [reply] = (await once(socket, 'message', { signal: AbortSignal.timeout(10_000) })) as [Buffer]
    return reply
  } finally {
    socket.close()
  }
}

async function overTcp(server: DnsServer, bytes: Buffer): Promise<Buffer> {
  const socket = connect(server.port, server.address)
  socket.end(bytes)
  return buffer(socket)
}

const rcodeOf = (reply: Buffer) => reply.readUInt16BE(2) & 0xf

onEachDatabase('the nameserver for challenges', ({ open }) => {
  test('answers what any process has stored, at once, until it expires or is deleted', async () => {
    await using database = await open()
    await using server = await start(database)
    const values = async () =>
      (await ask(server, { name, type: 'TXT' })).answers.map(({ value }) => value).sort()
    assert.deepEqual(await values(), [])
    await store(database, 'token')
    assert.deepEqual(await values(), [challengeValue(keyAuthorization)])
    await store(database, 'second')
    const both = [keyAuthorization, 'second.thumbprint'].map(challengeValue).sort()
    assert.deepEqual(await values(), both)
    await store(database, 'token', { expires_at: at })
    await store(database, 'elsewhere', { label: 'aaaaaaaaaa' })
    assert.deepEqual(await values(), [challengeValue('second.thumbprint')])
  })
})

describe('its zone', () => {
  const open = openSqlite

  test('has a start, a nameserver with addresses, and tells missing names from missing records', async () => {
    await using database = await open()
    await using server = await start(database)
    const answerFor = (asked: string, type: 'A' | 'NS' | 'SOA' | 'TXT' | 'CAA') =>
      ask(server, { name: asked, type })
    const authority = await answerFor(zone, 'SOA')
    assert.ok(authority.authoritative)
    assert.equal(authority.answers[0]?.value, `ns.${zone} hostmaster.pages.test 1 7200 900 1209600 0`)
    const servers = await answerFor(zone, 'NS')
    assert.equal(servers.answers[0]?.value, `ns.${zone}`)
    assert.deepEqual(
      servers.glue.map(({ value }) => value),
      ['192.0.2.7', '2001:db8::7'],
    )
    assert.equal((await answerFor(`ns.${zone}`, 'A')).answers[0]?.value, '192.0.2.7')
    // For a project with the slug acme.
    assert.equal((await answerFor(zone, 'A')).answers[0]?.value, '192.0.2.7')
    for (const [asked, type, rcode] of [
      [zone, 'TXT', 'NOERROR'],
      [name, 'A', 'NOERROR'],
      [name, 'TXT', 'NOERROR'],
      [`ns.${zone}`, 'CAA', 'NOERROR'],
      [`no.${zone}`, 'TXT', 'NXDOMAIN'],
      [`below.${name}`, 'TXT', 'NXDOMAIN'],
      [`_acme-challenge.${zone}`, 'TXT', 'NXDOMAIN'],
    ] as const) {
      const answer = await answerFor(asked, type)
      assert.deepEqual(
        [answer.rcode, answer.answers.length, answer.negativeTtl],
        [rcode, 0, 0],
        `${asked} ${type}`,
      )
      assert.deepEqual(
        answer.authority.map((record) => record.name),
        [zone],
      )
    }
    for (const asked of ['pages.test', 'www.acme.test', 'xacme.pages.test', '']) {
      assert.equal((await answerFor(asked, 'A')).rcode, 'REFUSED')
    }
  })

  test('refuses transfers, other classes and opcodes, and answers ANY with as little as possible', async () => {
    await using database = await open()
    await using server = await start(database)
    await store(database, 'token')
    for (const transport of [
      overUdp,
      async (to: DnsServer, bytes: Buffer) => (await overTcp(to, frame(bytes))).subarray(2),
    ]) {
      const rcode = async (question: Question, more: Partial<Packet> = {}) =>
        rcodeOf(await transport(server, query(question, more)))
      assert.equal(await rcode({ name: zone, type: 'AXFR' }), 5)
      assert.equal(await rcode({ name: zone, type: 'IXFR' }), 5)
      assert.equal(await rcode({ name: 'version.bind', type: 'TXT', class: 'CH' }), 5)
      assert.equal(await rcode({ name, type: 'TXT', class: 'ANY' }), 5)
      for (const opcode of [1, 2, 4, 5, 15]) {
        const bytes = query({ name, type: 'TXT' })
        bytes.writeUInt16BE(opcode << 11, 2)
        const reply = await transport(server, bytes)
        assert.deepEqual([rcodeOf(reply), reply.length, reply.readUInt16BE(0)], [4, 12, 7])
      }
      const any = decode(await transport(server, query({ name, type: 'ANY' as 'TXT' })))
      assert.deepEqual(
        any.answers?.map(({ type }) => type),
        ['HINFO'],
      )
    }
  })

  test('repeats capitals, knows EDNS 0 only, and never sends more than was asked for', async () => {
    await using database = await open()
    await using server = await start(database)
    for (let count = 0; count < 20; count++) await store(database, `token${count}`)
    const mixed = name.replace('acme', 'aCMe')
    const opt = (some: object) => ({
      additionals: [
        {
          type: 'OPT' as const,
          name: '.',
          udpPayloadSize: 1232,
          extendedRcode: 0,
          ednsVersion: 0,
          flags: 0,
          flag_do: false,
          options: [],
          ...some,
        },
      ],
    })
    const whole = await overUdp(server, query({ name: mixed, type: 'TXT' }))
    assert.equal(decode(whole).questions?.[0]?.name, mixed)
    assert.equal(decode(whole).answers?.length, 8)
    for (const udpPayloadSize of [0, 511, 512, 1232, 65_535]) {
      const reply = await overUdp(server, query({ name, type: 'TXT' }, opt({ udpPayloadSize })))
      assert.ok(!decode(reply).flag_tc && reply.length <= 512)
    }
    const future = await overUdp(server, query({ name, type: 'TXT' }, opt({ ednsVersion: 1 })))
    const extended = decode(future).additionals?.[0]
    assert.ok(extended?.type === 'OPT' && extended.extendedRcode === 1 && extended.ednsVersion === 0)
    assert.deepEqual([rcodeOf(future), decode(future).answers?.length], [0, 0])
    const aware = decode(await overUdp(server, query({ name, type: 'TXT' }, opt({ flags: 0x8000 }))))
    assert.ok(aware.additionals?.[0]?.type === 'OPT' && aware.additionals[0].flag_do)
    const twice = { additionals: [...opt({}).additionals, ...opt({}).additionals] }
    assert.equal(rcodeOf(await overUdp(server, query({ name, type: 'TXT' }, twice))), 1)
  })

  test('a resolver that asks too often is sent to TCP, and loses nothing there', async () => {
    await using database = await open()
    await using server = await start(database, { perNetwork: 3, networks: 10 })
    await store(database, 'token')
    const message = query({ name, type: 'TXT' })
    const replies: Buffer[] = []
    while (!replies.some((reply) => decode(reply).flag_tc)) replies.push(await overUdp(server, message))
    assert.ok(replies.length > 3)
    assert.ok(replies.every((reply) => decode(reply).flag_tc || decode(reply).answers?.length === 1))
    assert.ok((replies.at(-1)?.length ?? Number.NaN) <= message.length)
    const { answers } = decode((await overTcp(server, frame(message))).subarray(2))
    assert.equal(answers?.length, 1)
  })
})

test('a flood of questions costs the database a few loads, each for what was stored before it', async () => {
  const stored: { label: string; keyAuthorization: string }[] = []
  let loads = 0
  let open = Promise.withResolvers<void>()
  const find = createChallengeValues({
    pauseMs: 1,
    async load() {
      loads++
      const seen = [...stored]
      await open.promise
      return seen
    },
  })
  const first = find(label)
  await until(() => loads === 1)
  stored.push({ label, keyAuthorization })
  const flood = Array.from({ length: 10_000 }, (_, at) => find(at % 2 === 0 ? label : `other${at}`))
  open.resolve()
  open = Promise.withResolvers()
  assert.deepEqual(await first, [])
  await until(() => loads === 2)
  open.resolve()
  const answers = await Promise.all(flood)
  assert.deepEqual([answers[0], answers[1]], [[challengeValue(keyAuthorization)], []])
  assert.equal(loads, 2)
})

test('kdig and delv, clients of their own, find nothing wrong', {
  skip: skipWithout('kdig', 'delv'),
}, async () => {
  await using database = await openSqlite()
  await using server = await start(database)
  await store(database, 'token')
  const run = async (program: 'kdig' | 'delv', ...words: string[]) => {
    const place = [`@${server.address}`, '-p', String(server.port)]
    const { stdout, stderr } = await promisify(execFile)(requirePeer(program), [...place, ...words])
    return stdout + stderr
  }
  const kdig = (...words: string[]) => run('kdig', ...words)
  const value = `"${challengeValue(keyAuthorization)}"`
  for (const how of ['+notcp', '+tcp', '+noedns', '+bufsize=512', '+dnssec', '+cookie', '+padding=64']) {
    assert.equal((await kdig('+short', how, name, 'TXT')).trim(), value, how)
  }
  const whole = await kdig('+notcp', '+norec', 'K3v9X2m1qP.aCMe.pages.TEST', 'TXT')
  assert.match(whole, /status: NOERROR[\s\S]*Flags: qr aa; QUERY: 1; ANSWER: 1; AUTHORITY: 0/)
  assert.doesNotMatch(whole, /WARNING|malformed/i)
  assert.match(await kdig('+edns=1', name, 'TXT'), /status: BADVERS/)
  assert.match(
    await kdig(`missing-name.${zone}`, 'TXT'),
    /status: NXDOMAIN[\s\S]*AUTHORITY SECTION[\s\S]*SOA/,
  )
  assert.match(await kdig(name, 'A'), /status: NOERROR[\s\S]*ANSWER: 0; AUTHORITY: 1/)
  assert.match(await kdig(name, 'ANY'), /HINFO\s+"RFC8482" ""/)
  assert.match(await kdig('example.com', 'A'), /status: REFUSED/)
  assert.match(await kdig(zone, 'AXFR').catch((error: Error) => error.message), /REFUSED/)
  assert.match(await run('delv', '-i', name, 'TXT'), new RegExp(`; authoritative[\\s\\S]*TXT\\s+${value}`))
  assert.match(await run('delv', '-i', name, 'CAA'), /ncache nxrrset|negative response/)
})
