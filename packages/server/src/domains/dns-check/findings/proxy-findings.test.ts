import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  arrived,
  codes,
  found,
  judgeProxied,
  notArrived,
  observed,
  proving,
  right,
  server,
  wantedAt,
} from '../judge.test-kit.ts'
import { judge } from '../judge.ts'

test('a domain behind a proxy is right by the route and the proof, whatever addresses DNS has', () => {
  assert.deepEqual([judgeProxied({}).outcome, codes(judgeProxied({}))], ['right', []])
  const either = judgeProxied({ http: notArrived('unreachable') })
  assert.equal(either.outcome, 'right')
  const fromElsewhere = judgeProxied({}, {}, ['CNAME acme.cdn.example'])
  assert.deepEqual([fromElsewhere.outcome, fromElsewhere.changes.length], ['right', 1])
  const servers = [server('ns1.acme.com', ['A 104.16.0.1']), server('ns2.acme.com', right)]
  const proxy = { provider: 'cloudflare', redirects: true } as const
  const route = { http: arrived, https: arrived, cached: false }
  const underWay = judge(
    observed(servers, { challenge: ['proof'], route }),
    wantedAt('www.acme.com', { proof: proving('proof'), proxy }),
  )
  assert.equal(underWay.outcome, 'right')
})

test('behind a proxy, the route alone proves nothing', () => {
  const unproved = judgeProxied({}, { proof: proving('another') })
  assert.deepEqual([unproved.outcome, codes(unproved)], ['wrong', ['challenge_missing']])
  const { message, fix } = found(unproved, 'challenge_missing')
  assert.match(message, /Everyone can use the addresses of a proxy/)
  assert.match(fix, /add a TXT record: .* Or prove all of acme\.com .*`masthead domains prove acme\.com`/)
})

test('the target of another claim is never taken for a proxy', () => {
  const other = judgeProxied({}, {}, ['CNAME abcdefghjk.cname.pages.example'])
  assert.deepEqual([other.outcome, codes(other)[0]], ['wrong', 'cname_other'])
  const ours = judgeProxied({}, {}, ['A 192.0.2.7'])
  assert.deepEqual([ours.outcome, codes(ours)[0]], ['wrong', 'address_conflict'])
})

test('a proxy that does not answer, or has trouble of its own, is no reason to give up a domain', () => {
  for (const outcome of ['unreachable', 'untrusted', 'origin_error'] as const) {
    const judgement = judgeProxied({ http: notArrived(outcome), https: notArrived(outcome) })
    assert.equal(judgement.outcome, 'unclear', outcome)
  }
})
