import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer, DecodedPacket } from 'dns-packet'
import fc from 'fast-check'
import { answerBytes, startAnswerer, truncatedBytes, withLength } from './answerer.test-kit.ts'
import { ask } from './ask.ts'
import { DnsError } from './dns-error.ts'
import { mutated, mutations } from './mutate.test-kit.ts'

const name = 'www.acme.test'
const answers: Answer[] = [
  { name, type: 'CNAME', ttl: 60, data: 'target.acme.test' },
  { name: 'target.acme.test', type: 'TXT', ttl: 60, data: ['one', 'two'] },
  { name: 'target.acme.test', type: 'A', ttl: 60, data: '192.0.2.1' },
]

/** The id is kept: replies with another one are not read at all. */
function mutatedAnswer(query: DecodedPacket, changes: Parameters<typeof mutated>[1]): Buffer {
  const bytes = answerBytes(query, answers)
  return Buffer.concat([bytes.subarray(0, 2), mutated(bytes.subarray(2), changes)])
}

for (const transport of ['UDP', 'TCP']) {
  test(`whatever bytes come by ${transport}, there is an answer or a DnsError`, async () => {
    let changes: Parameters<typeof mutated>[1] = []
    await using server = await startAnswerer(
      ({ packet, reply }) =>
        reply(transport === 'UDP' ? mutatedAnswer(packet, changes) : truncatedBytes(packet)),
      (query, socket) => {
        const isWhole = changes.length % 2 === 0
        const bytes = mutatedAnswer(query, changes)
        socket.end(isWhole ? withLength(bytes) : mutated(withLength(bytes), changes))
      },
    )
    let faults = 0
    const property = fc.asyncProperty(mutations, async (given) => {
      changes = given
      try {
        await ask(server, { name, type: 'A' }, { deadlineMs: 40 })
      } catch (error) {
        if (!(error instanceof DnsError)) throw error
        faults++
      }
    })
    await fc.assert(property, { seed: 20_261_115, numRuns: 200 })
    assert.ok(faults > 50, `only ${faults} of 200 were broken enough to tell`)
  })
}
