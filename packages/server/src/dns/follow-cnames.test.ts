import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freeDnsPort } from '@masthead/testing/free-port.ts'
import { startKnot } from '@masthead/testing/peers/knot.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { createDns } from './dns.ts'
import { followCnames } from './follow-cnames.ts'

const zones = {
  'acme.test': `
    www CNAME shop
    shop CNAME edge.pages.test.
    lost CNAME nothing.pages.test.
    bare CNAME text.pages.test.
    round CNAME circle
    circle CNAME round
    here CNAME there.pages.test.
    cut NS ns.cut
    ns.cut A 127.0.0.1
    below CNAME www.cut
    away CNAME refused.elsewhere.test.
    strange CNAME a\\032b.acme.test.
    ${Array.from({ length: 12 }, (_, index) => `step${index} CNAME step${index + 1}`).join('\n')}
    step12 A 192.0.2.12`,
  'pages.test': `
    edge A 192.0.2.1
    edge A 192.0.2.2
    text TXT hello
    there CNAME here.acme.test.`,
}

const ends: [name: string, end: string, chain: string[]][] = [
  ['www', 'records', ['shop.acme.test', 'edge.pages.test']],
  ['lost', 'nxdomain', ['nothing.pages.test']],
  ['bare', 'empty', ['text.pages.test']],
  ['round', 'loop', ['circle.acme.test']],
  ['here', 'loop', ['there.pages.test']],
  ['away', 'failed', ['refused.elsewhere.test']],
  ['below', 'failed', ['www.cut.acme.test']],
  ['strange', 'nxdomain', ['a\\032b.acme.test']],
  ['step4', 'records', Array.from({ length: 8 }, (_, index) => `step${index + 5}.acme.test`)],
  ['step3', 'too_long', Array.from({ length: 9 }, (_, index) => `step${index + 4}.acme.test`)],
]

test('chains of CNAMEs are followed to their end', { skip: skipWithout('knot') }, async (t) => {
  await using knot = await startKnot({ zones })
  const dns = createDns({ servers: [knot], authoritativePort: knot.port, allowPrivate: true })
  for (const [name, end, chain] of ends) {
    await t.test(`${name}: ${end}`, async () => {
      const followed = await followCnames(dns, `${name}.acme.test`, 'A')
      assert.deepEqual(
        { end: followed.end, chain: followed.chain },
        { end, chain: [`${name}.acme.test`, ...chain] },
      )
    })
  }
  const { records } = await followCnames(dns, 'WWW.acme.test.', 'A')
  assert.deepEqual(records.map(({ value }) => value).sort(), ['192.0.2.1', '192.0.2.2'])
})

test('resolvers that do not answer are a failure, not an empty answer', async () => {
  const server = { address: '127.0.0.1', port: await freeDnsPort('127.0.0.1') }
  const dns = createDns({ servers: [server], authoritativePort: 53, allowPrivate: false })
  assert.deepEqual(await followCnames(dns, 'www.acme.test', 'A'), {
    chain: ['www.acme.test'],
    records: [],
    end: 'failed',
  })
})
