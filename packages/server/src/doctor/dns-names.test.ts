import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startKnot } from '@masthead/testing/peers/knot.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { createDns } from '../dns/dns.ts'
import { checkNames, judgeName } from './dns-names.ts'

const skip = skipWithout('knot')
const config = {
  platformDomain: 'pages.example',
  dashboardHost: 'masthead.example',
  edgeAddresses: ['192.0.2.7', '2001:db8::7'],
}
const right = `
  @ A 192.0.2.7
  @ AAAA 2001:db8:0:0::7
  * A 192.0.2.7
  * AAAA 2001:db8::7
  *.cname A 192.0.2.7
  *.cname AAAA 2001:db8::7`

async function examine(pages: string, dashboard = '@ A 192.0.2.7') {
  await using server = await startKnot({ zones: { 'pages.example': pages, 'masthead.example': dashboard } })
  const dns = createDns({ servers: [server], authoritativePort: server.port, allowPrivate: true })
  return await checkNames(config, dns, new AbortController().signal)
}

const faults = (findings: Awaited<ReturnType<typeof examine>>) =>
  findings.filter(({ status }) => status !== 'ok').map(({ status, message }) => `${status}: ${message}`)

test('a zone that leads every name to the edge is fine, also through a CNAME', { skip }, async () => {
  assert.deepEqual(faults(await examine(right)), [])
  const aliased = right.replace('* A 192.0.2.7\n  * AAAA 2001:db8::7', '* CNAME pages.example.')
  assert.deepEqual(faults(await examine(aliased)), [])
})

test('a missing wildcard is found although the platform domain itself resolves', { skip }, async () => {
  const findings = await examine(right.replace(/^ +\* .*$/gm, ''))
  assert.deepEqual(faults(findings), ['problem: *.pages.example does not resolve.'])
  const fix = findings.find(({ status }) => status === 'problem')?.fix
  assert.equal(fix, 'Add to DNS: *.pages.example A 192.0.2.7 and *.pages.example AAAA 2001:db8::7.')
})

test('a name that exists hides the wildcard of its children, so *.cname needs its own', {
  skip,
}, async () => {
  const findings = await examine(`${right.replace(/^ +\*\.cname .*$/gm, '')}\n  cname A 192.0.2.7`)
  assert.deepEqual(faults(findings), ['problem: *.cname.pages.example does not resolve.'])
})

test('a wrong address is a problem, and for the dashboard a warning', { skip }, async () => {
  const findings = await examine(right.replace('* A 192.0.2.7', '* A 192.0.2.99'), '@ A 192.0.2.50')
  assert.deepEqual(faults(findings), [
    'problem: *.pages.example points to 192.0.2.99, not to an edge address (192.0.2.7 and 2001:db8::7).',
    'warning: masthead.example points to 192.0.2.50, not to an edge address (192.0.2.7 and 2001:db8::7).',
  ])
})

test('an edge address that no record names is a warning', { skip }, async () => {
  const findings = await examine(right.replace(/^ +\*\.cname AAAA .*$/m, ''))
  assert.deepEqual(faults(findings), [
    'warning: *.cname.pages.example does not point to 2001:db8::7, so visitors do not use it.',
  ])
})

test('resolvers that do not answer are the problem, not the zone', () => {
  const answer = { name: 'pages.example', mayDiffer: false, end: 'failed', addresses: [] } as const
  const finding = judgeName({ ...answer, addresses: [] }, config.edgeAddresses)
  assert.match(`${finding.message} ${finding.fix}`, /no resolver answered.*MASTHEAD_DNS_SERVERS/)
})
