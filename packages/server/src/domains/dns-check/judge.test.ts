import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dnsCheck, dnsRecord } from '@masthead/contract/schemas/domains/dns-check.ts'
import { anyCharacter } from '@masthead/testing/any-character.ts'
import fc from 'fast-check'
import { z } from 'zod'
import {
  at,
  codes,
  judgeApex,
  judgeSubdomain,
  observed,
  proving,
  server,
  silent,
  target,
  wantedAt,
} from './judge.test-kit.ts'
import { judge, toDnsCheck } from './judge.ts'
import type { Observation } from './observation.ts'

test('a subdomain is right if every server has exactly the target, ignoring case and a final dot', () => {
  for (const value of [target, target.toUpperCase(), `${target}.`]) {
    const judgement = judgeSubdomain([`CNAME ${value}`])
    assert.deepEqual([judgement.outcome, judgement.findings], ['right', []])
    assert.deepEqual(judgement.records[0]?.status, 'ok')
  }
  for (const value of [`a${target}`, `x.${target}`, 'pages.example', 'acme.pages.example']) {
    assert.equal(judgeSubdomain([`CNAME ${value}`]).outcome, 'wrong', value)
  }
})

test('addresses at a subdomain are wrong, even ours, even next to the right CNAME', () => {
  for (const records of [['A 192.0.2.7'], ['AAAA 2001:db8::7'], [`CNAME ${target}`, 'A 203.0.113.1']]) {
    const judgement = judgeSubdomain(records)
    assert.equal(judgement.outcome, 'wrong')
    assert.ok(codes(judgement).includes('address_conflict'))
  }
})

test('an apex is right if every address belongs to the edge, however it is written', () => {
  const right = [['A 192.0.2.7'], ['AAAA 2001:DB8:0:0::0007'], ['A 192.0.2.7', 'AAAA 2001:db8::7']]
  for (const records of right) assert.equal(judgeApex(records).outcome, 'right', String(records))
  const wrong = [[], ['A 203.0.113.1'], ['A 192.0.2.7', 'A 203.0.113.1'], ['A 192.0.2.7', 'AAAA 2001:db8::8']]
  for (const records of wrong) assert.equal(judgeApex(records).outcome, 'wrong', String(records))
})

test('a CNAME at an apex counts only together with addresses of the edge', () => {
  assert.equal(judgeApex([`CNAME ${target}`, 'A 192.0.2.7']).outcome, 'right')
  assert.deepEqual(codes(judgeApex([`CNAME ${target}`]))[0], 'apex_cname')
  assert.deepEqual(codes(judgeApex(['CNAME other.example', 'A 192.0.2.7']))[0], 'apex_cname')
  // Under a private suffix the zone starts above the name, where a CNAME is allowed.
  assert.deepEqual(codes(judgeApex([`CNAME ${target}`], { zone: 'com' }))[0], 'apex_missing')
})

test('a CNAME is judged even if its target does not exist yet', () => {
  const servers = [server('ns1.acme.com', [`CNAME ${target}`], { rcode: 'NXDOMAIN' })]
  assert.equal(judge(observed(servers), wantedAt('www.acme.com')).outcome, 'right')
})

test('one silent server next to others that are right is only informational', () => {
  for (const outcome of [
    'timeout',
    'unreachable',
    'malformed',
    'servfail',
    'private_address',
    'no_address',
  ] as const) {
    const servers = [server('ns1.acme.com', [`CNAME ${target}`]), silent('ns2.acme.com', outcome)]
    const judgement = judge(observed(servers), wantedAt('www.acme.com'))
    assert.deepEqual([judgement.outcome, codes(judgement)], ['right', ['nameserver_unreachable']], outcome)
  }
})

test('without answers the outcome is unclear, never wrong, and there is nothing to change', () => {
  const silences: Observation['servers'][] = [
    [],
    [silent('ns1.acme.com', 'timeout'), silent('ns2.acme.com', 'unreachable')],
    [silent('ns1.acme.com', 'servfail'), silent('ns2.acme.com', 'timeout')],
    [silent('ns1.acme.com', 'lame'), silent('ns2.acme.com', 'refused')],
  ]
  for (const servers of silences) {
    for (const wanted of [
      wantedAt('www.acme.com', { proof: proving('proof') }),
      wantedAt('acme.com', { target: null }),
    ]) {
      const judgement = judge(observed(servers), wanted)
      assert.equal(judgement.outcome, 'unclear')
      assert.ok(judgement.findings.every(({ effect }) => effect !== 'stops'))
      assert.deepEqual(judgement.changes, [])
      assert.ok(judgement.records.every(({ status }) => status === 'unchecked'))
    }
  }
})

test('answers with broken signatures are unclear, whatever they contain', () => {
  const resolvers = { rcode: 'SERVFAIL', records: [], negativeTtl: null, dnssecFailure: true }
  for (const records of [[`CNAME ${target}`], ['CNAME other.example'], []]) {
    const judgement = judgeSubdomain(records, { resolvers })
    assert.equal(judgement.outcome, 'unclear')
    assert.equal(codes(judgement)[0], 'dnssec_failure')
  }
})

test('disagreeing resolvers never make a domain wrong', () => {
  const among = (...records: string[][]) =>
    judge(
      observed(
        [
          silent('ns1.acme.com', 'timeout'),
          ...records.map((some, index) => server('resolver', some, { address: `192.0.2.${index}` })),
        ],
        { source: 'resolvers' },
      ),
      wantedAt('www.acme.com'),
    )
  const stale = among([`CNAME ${target}`], ['A 203.0.113.1'])
  assert.equal(stale.outcome, 'unclear')
  assert.ok(stale.findings.every(({ effect }) => effect !== 'stops'))
  assert.equal(among(['CNAME other.example'], ['A 203.0.113.1']).outcome, 'unclear')
  assert.equal(among([`CNAME ${target}`], [`CNAME ${target}`]).outcome, 'right')
  assert.equal(among(['A 203.0.113.1'], ['A 203.0.113.1']).outcome, 'wrong')
})

test('a proof that could not be checked is unclear, a missing one is wrong', () => {
  const wanted = { proof: proving('proof') }
  assert.equal(judgeApex(['A 192.0.2.7'], { challenge: null }, wanted).outcome, 'unclear')
  assert.equal(judgeApex(['A 192.0.2.7'], { challenge: [] }, wanted).outcome, 'wrong')
  assert.equal(judgeApex(['A 192.0.2.7'], { challenge: ['other'] }, wanted).outcome, 'wrong')
  assert.equal(judgeApex(['A 192.0.2.7'], { challenge: ['other', 'proof'] }, wanted).outcome, 'right')
  assert.equal(judgeApex(['A 192.0.2.7'], { challenge: ['"proof" '] }, wanted).outcome, 'right')
  assert.equal(judgeApex(['A 192.0.2.7'], { challenge: ['proofs'] }, wanted).outcome, 'wrong')
})

test('before a domain is added nothing can be missing, but conflicts are shown', () => {
  const unadded = { target: null }
  assert.deepEqual(judgeSubdomain([], {}, unadded), {
    outcome: 'right',
    findings: [],
    records: [],
    changes: [
      { action: 'add', type: 'CNAME', name: 'www', fqdn: 'www.acme.com', from: null, to: null, ttl: 3600 },
    ],
    proof: null,
  })
  assert.equal(judgeApex(['A 192.0.2.7'], {}, unadded).outcome, 'right')
  assert.equal(codes(judgeSubdomain(['CNAME old.example'], {}, unadded))[0], 'cname_other')
  assert.equal(codes(judgeSubdomain(['A 203.0.113.1'], {}, unadded))[0], 'address_conflict')
  assert.equal(codes(judgeSubdomain(['A 104.16.0.1'], {}, unadded))[0], 'cloudflare_proxy')
  assert.equal(codes(judgeApex(['A 203.0.113.1'], {}, unadded))[0], 'apex_elsewhere')
  for (const { fix } of judgeApex(['A 203.0.113.1'], {}, unadded).findings)
    assert.doesNotMatch(fix, /^Remove/)
})

test('a check shows the nameservers, their answers and the provider', () => {
  const observation = observed([
    server('gina.ns.cloudflare.com', [`CNAME ${target}.`]),
    silent('rob.ns.cloudflare.com', 'timeout'),
  ])
  const check = toDnsCheck(observation, judge(observation, wantedAt('www.acme.com')))
  assert.deepEqual(
    { ...check, findings: [], changes: [] },
    {
      at: '2030-01-01T00:00:00.000Z',
      ok: true,
      outcome: 'right',
      findings: [],
      changes: [],
      zone: 'acme.com',
      provider: 'Cloudflare',
      source: 'authoritative',
      nameservers: [
        {
          name: 'gina.ns.cloudflare.com',
          address: '198.51.100.1',
          outcome: 'answered',
          answers: [{ type: 'CNAME', value: target, ttl: 300 }],
        },
        { name: 'rob.ns.cloudflare.com', address: '198.51.100.9', outcome: 'timeout', answers: [] },
      ],
    },
  )
})

const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 500 }),
  fc.constantFrom(target, 'other.example'),
)
const address = fc.oneof(fc.ipV4(), fc.constantFrom('192.0.2.7', '104.16.0.1'))
const record = fc.oneof(
  fc.record({ type: fc.constant('CNAME' as const), value: text, ttl: fc.nat() }),
  fc.record({ type: fc.constant('A' as const), value: fc.oneof(address, text), ttl: fc.nat() }),
  fc.record({ type: fc.constant('AAAA' as const), value: fc.oneof(fc.ipV6(), text), ttl: fc.nat() }),
)
const negativeTtl = fc.option(fc.nat())
const anyServer = fc.record({
  name: fc.oneof(text, fc.constantFrom('ns1.acme.com', 'ns.lab.localhost', 'gina.ns.cloudflare.com')),
  address: fc.option(address),
  outcome: fc.constantFrom('answered', 'answered', 'timeout', 'lame', 'servfail', 'no_address'),
  rcode: fc.constantFrom('NOERROR', 'NXDOMAIN', null),
  records: fc.array(record, { maxLength: 30 }),
  negativeTtl,
})
const anyObservation = fc.record({
  at: fc.constant(at),
  hostname: fc.constantFrom('www.acme.com', 'acme.com'),
  zone: fc.constantFrom('acme.com', 'www.acme.com', 'com', null),
  above: fc.constantFrom('acme.com', 'com', null),
  delegated: fc.boolean(),
  source: fc.constantFrom('authoritative', 'resolvers'),
  servers: fc.array(anyServer, { maxLength: 12 }),
  wildcard: fc.constantFrom('*.acme.com', null),
  challenge: fc.option(fc.array(fc.oneof(text, fc.constant('proof')), { maxLength: 30 })),
  siblings: fc.array(
    fc.record({
      hostname: fc.constant('www.acme.com'),
      outcome: fc.constantFrom(
        'proves' as const,
        'elsewhere' as const,
        'delegated' as const,
        'unclear' as const,
      ),
    }),
    { maxLength: 4 },
  ),
  resolvers: fc.record({
    rcode: fc.constantFrom('NOERROR', 'NXDOMAIN', 'SERVFAIL', null),
    records: fc.array(record, { maxLength: 30 }),
    negativeTtl,
    dnssecFailure: fc.boolean(),
  }),
  caa: fc.oneof(
    fc.constant({ kind: 'allowed' as const, methods: null }),
    fc.record({
      kind: fc.constant('unclear' as const),
      cause: fc.constantFrom('unread' as const, 'unknown_account' as const),
      why: text,
    }),
  ),
})

const anyProof = fc.record({
  need: fc.constantFrom('required' as const, 'asked' as const, 'given' as const),
  siblings: fc.constantFrom([], [{ hostname: 'www.acme.com', target }]),
  dueAt: fc.constantFrom(null, Date.parse('2030-02-01T00:00:00Z')),
})

test('for any answers of hostile zones the judgement is well-formed, small and printable', () => {
  fc.assert(
    fc.property(
      anyObservation,
      fc.constantFrom(target, null),
      fc.constantFrom('proof', null),
      anyProof,
      (seen, to, challenge, more) => {
        const judgement = judge(
          seen,
          wantedAt(seen.hostname, {
            target: to,
            proof: challenge === null ? null : proving(challenge, more),
          }),
        )
        const check = dnsCheck.parse(toDnsCheck(seen, judgement))
        z.array(dnsRecord).parse(judgement.records)
        const stored = JSON.stringify({ check, records: judgement.records })
        assert.doesNotMatch(stored, /[\p{C}\p{Zl}\p{Zp}]/u)
        const sentences = judgement.findings.map(({ message, fix }) => message.length + fix.length)
        assert.ok(Math.max(0, ...sentences) < 20_000)
        assert.ok(judgement.changes.length <= 30)
      },
    ),
    { numRuns: 500 },
  )
})
