import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { MutatedInputs } from '@masthead/testing/mutated-inputs.ts'
import { until } from '@masthead/testing/until.ts'
import { encode, type Question } from 'dns-packet'
import { openSqlite } from '../../database/each-database.test-kit.ts'
import { ask, edns } from '../../dns/ask.ts'
import { frame } from '../../dns/transport.ts'
import { putChallenges } from '../jobs/challenge-store.ts'
import { startChallengeDns } from './challenge-dns.ts'

/** For more, or other ones: `DNS_PACKETS=1000000 DNS_SEED=1 npm test -- hostile-packets`. */
const packets = Number(process.env.DNS_PACKETS ?? 10_000)
const seed = Number(process.env.DNS_SEED ?? 20_261_116)
const zone = 'acme.pages.test'
const label = 'k3v9x2m1qp'
const largestReply = 512

const questions = [
  { name: `${label}.${zone}`, type: 'TXT' },
  { name: `${label}.${zone}`, type: 'ANY' },
  { name: zone, type: 'AXFR' },
  { name: zone, type: 'IXFR' },
  { name: zone, type: 'NS' },
  { name: `K3V9X2M1QP.${zone}`, type: 'A' },
  { name: 'version.bind', type: 'TXT', class: 'CH' },
] as Question[]
const sizes = [0, 511, 512, 4_096, 65_535]
const real = questions.flatMap((question) =>
  [[], ...sizes.map((udpPayloadSize) => [{ ...edns(), udpPayloadSize }])].map((additionals) =>
    encode({ type: 'query', id: 7, questions: [question], additionals }),
  ),
)

async function startServer() {
  const database = await openSqlite()
  // As many values as are ever sent.
  const rows = Array.from({ length: 12 }, (_, index) => ({
    token: `token${index}`,
    name: 'www.acme.test',
    kind: 'dns-01' as const,
    key_authorization: `token${index}.thumbprint`,
    expires_at: Date.now() + 3_600_000,
    label,
  }))
  await database.write((tx) => putChallenges(tx, rows))
  const server = await startChallengeDns({
    database,
    now: Date.now,
    listen: { address: '127.0.0.1', port: 0 },
    naming: { platformDomain: 'pages.test', edgeAddresses: ['192.0.2.7', '2001:db8::7'] },
    // So that whole replies are sent, not just hints to use TCP.
    responseLimits: { perNetwork: 1e9, networks: 10 },
    log: { warn: () => {} },
  })
  const answers = async () => (await ask(server.address, { name: zone, type: 'SOA' })).answers.length === 1
  const isWell = async () => {
    const found = await ask(server.address, { name: `${label}.${zone}`, type: 'TXT' })
    return found.answers.length === 8
  }
  return {
    ...server.address,
    answers,
    isWell,
    async [Symbol.asyncDispose]() {
      await server.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

test(`${packets} hostile packets over UDP: no crash, and no reply larger than ${largestReply} bytes (seed ${seed})`, async (t) => {
  await using server = await startServer()
  const inputs = new MutatedInputs(real, seed, 1_200)
  const socket = createSocket('udp4')
  const seen = { sent: 0, replies: 0, largest: 0, bytesSent: 0, bytesReceived: 0 }
  socket.on('message', (reply) => {
    seen.replies++
    seen.largest = Math.max(seen.largest, reply.length)
    seen.bytesReceived += reply.length
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  try {
    while (seen.sent < packets) {
      // A batch fits into the buffers of the sockets, and the question after it comes after all of them.
      for (let count = 0; count < 200; count++) {
        const packet = Buffer.from(inputs.next())
        seen.sent++
        seen.bytesSent += packet.length
        socket.send(packet, server.port, server.address)
      }
      assert.ok(await server.answers(), `after ${seen.sent} packets`)
    }
    assert.ok(await server.isWell())
    await until(() => seen.replies > seen.sent / 4)
  } finally {
    socket.close()
  }
  t.diagnostic(JSON.stringify(seen))
  assert.ok(seen.largest <= largestReply, `${seen.largest} bytes`)
})

test('hostile bytes over TCP end their connection or get a reply, and harm nobody else', async () => {
  await using server = await startServer()
  const inputs = new MutatedInputs(real, seed, 1_200)
  for (let round = 0; round < 3; round++) {
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const bytes = Buffer.from(inputs.next())
        const socket = connect(server.port, server.address).on('error', () => {})
        // A wrong length, or the right one.
        socket.end(index % 2 === 0 ? bytes : frame(bytes))
        socket.resume()
        await once(socket, 'close')
      }),
    )
    assert.ok(await server.isWell())
  }
})
