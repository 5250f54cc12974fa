import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DnsAnswer } from './dns-answer.ts'
import {
  addressesToAsk,
  outcomeOf,
  type ServerView,
  type ViewOutcome,
  wasReached,
  withoutUnroutable,
} from './server-view.ts'

const answer = (rcode: string, authoritative: boolean): DnsAnswer => ({
  rcode,
  authoritative,
  answers: [],
  authority: [],
  glue: [],
  negativeTtl: null,
})
const view = (name: string, address: string, outcome: ViewOutcome): ServerView => ({
  name,
  address,
  outcome,
  answers: {},
})

test('a nameserver answers only with authority, a resolver without it', () => {
  assert.equal(outcomeOf(answer('NOERROR', true), 'nameserver'), 'answered')
  assert.equal(outcomeOf(answer('NXDOMAIN', true), 'nameserver'), 'answered')
  assert.equal(outcomeOf(answer('NOERROR', false), 'nameserver'), 'lame')
  assert.equal(outcomeOf(answer('NOERROR', false), 'resolver'), 'answered')
})

test('a referral does not count as "no such record"', () => {
  const authority = [{ name: 'acme.test', type: 'NS' as const, ttl: 60, value: 'ns.acme.test' }]
  assert.equal(outcomeOf({ ...answer('NOERROR', false), authority }, 'resolver'), 'lame')
})

test('each kind of failure has its outcome', () => {
  assert.equal(outcomeOf(answer('REFUSED', false), 'nameserver'), 'refused')
  assert.equal(outcomeOf(answer('SERVFAIL', true), 'nameserver'), 'servfail')
  assert.equal(outcomeOf(answer('RCODE9', true), 'nameserver'), 'lame')
})

test('a server with a useless reply was reached, one that is silent or forbidden was not', () => {
  const reached = (
    ['lame', 'refused', 'servfail', 'malformed', 'timeout', 'private_address'] as const
  ).filter((outcome) => wasReached(view('ns', '192.0.2.1', outcome)))
  assert.deepEqual(reached, ['lame', 'refused', 'servfail', 'malformed'])
})

test('a silent IPv6 address is ignored if the same server answers at another address', () => {
  const answering = view('ns1', '192.0.2.1', 'answered')
  const lonely = view('ns2', '2001:db8::2', 'timeout')
  const silent = view('ns3', '192.0.2.3', 'timeout')
  const views = [answering, view('ns1', '2001:db8::1', 'unreachable'), lonely, silent]
  assert.deepEqual(withoutUnroutable(views), [answering, lonely, silent])
})

test('an IPv6 address with a useless reply is not ignored', () => {
  const views = [view('ns1', '192.0.2.1', 'answered'), view('ns1', '2001:db8::1', 'lame')]
  assert.deepEqual(withoutUnroutable(views), views)
})

test('every server is asked at one address before any is at a second, each address once', () => {
  const servers = [
    { name: 'ns1', addresses: ['192.0.2.1', '192.0.2.11'] },
    { name: 'ns2', addresses: ['192.0.2.1', '192.0.2.2'] },
    { name: 'ns3', addresses: ['192.0.2.3'] },
    { name: 'ns4', addresses: [] },
  ]
  const chosen = addressesToAsk(servers, 3).map(({ name, address }) => `${name} ${address}`)
  assert.deepEqual(chosen, ['ns1 192.0.2.1', 'ns3 192.0.2.3', 'ns1 192.0.2.11', 'ns4 null'])
})
