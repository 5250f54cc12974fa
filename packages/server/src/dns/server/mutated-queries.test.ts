import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MutatedInputs } from '@masthead/testing/mutated-inputs.ts'
import { encode, type Question } from 'dns-packet'
import { edns } from '../ask.ts'
import { readMessage } from '../read-message.ts'
import { firstStep, type Transport, writeReply } from './respond.ts'
import type { ZoneAnswer } from './zone.ts'

/** For other inputs: `DNS_SEED=1 npm test -- mutated-queries`. */
const seed = Number(process.env.DNS_SEED ?? 20_261_116)
const zone = 'acme.pages.test'
const questions: Question[] = [
  { name: `k3v9x2m1qp.${zone}`, type: 'TXT' },
  { name: zone, type: 'SOA' },
  { name: zone, type: 'AXFR' },
  { name: `K3V9X2M1QP.${zone}`, type: 'A' },
  { name: 'version.bind', type: 'TXT', class: 'CH' },
]
const real = questions.flatMap((question) =>
  [[], [edns()], [{ ...edns(), udpPayloadSize: 0xffff }]].map((additionals) =>
    encode({ type: 'query', id: 7, questions: [question], additionals }),
  ),
)
const long = 'x'.repeat(700)

/** Answers longer than some clients accept. */
function answer({ name }: { name: string }): ZoneAnswer {
  const soa = {
    name: zone,
    type: 'SOA',
    ttl: 1,
    value: `ns.${zone} hostmaster.pages.test 1 2 3 4 5`,
  } as const
  if (!name.endsWith(zone)) return { rcode: 'NXDOMAIN', answers: [], authority: [soa], additional: [] }
  const answers = [{ name: zone, type: 'TXT', ttl: 1, value: long } as const]
  return { rcode: 'NOERROR', answers, authority: [], additional: [] }
}

test(`a million mutated queries get a readable reply that is no longer than asked for, or none (seed ${seed})`, () => {
  const inputs = new MutatedInputs(real, seed, 1_200)
  const outcomes: Record<string, number> = {
    none: 0,
    FORMERR: 0,
    NOTIMP: 0,
    REFUSED: 0,
    NOERROR: 0,
    BADVERS: 0,
  }
  const tally = (outcome: string) => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
  function replyTo(step: NonNullable<ReturnType<typeof firstStep>>, transport: Transport): Buffer {
    const content = 'query' in step ? answer(step.query) : step
    tally(content.rcode)
    return 'query' in step ? writeReply(step.query, transport, answer(step.query)) : step.reply
  }
  // Collecting the stack of an error takes longer than reading ten queries.
  Error.stackTraceLimit = 0
  let truncated = 0
  for (let count = 0; count < 1_000_000; count++) {
    const query = inputs.next()
    const transport = inputs.integer(8) === 0 ? 'tcp' : 'udp'
    const step = firstStep(query, { transport, isLimited: inputs.integer(16) === 0 })
    const reply = step === null ? null : replyTo(step, transport)
    if (reply === null) {
      tally('none')
      continue
    }
    if (transport === 'udp' && reply.length > 1_232) assert.fail(`input ${count}: ${reply.length} bytes`)
    if (reply.readUInt16BE(0) !== query.readUInt16BE(0) || (reply[2] ?? 0) < 0x80)
      assert.fail(`input ${count}`)
    if (((reply[2] ?? 0) & 2) !== 0) {
      truncated++
      if (reply.length > query.length)
        assert.fail(`input ${count}: a truncated reply is longer than its query`)
    }
    // Every hundredth, because reading takes longer than writing.
    if (count % 100 === 0) readMessage(reply)
  }
  for (const [outcome, times] of Object.entries({ ...outcomes, truncated })) {
    if (outcome !== 'NXDOMAIN') assert.ok(times > 1_000, `${times} ${outcome}`)
  }
})
