import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FindingCode, findingCodes } from '@masthead/contract/domains/findings.ts'
import { unreadableCaa } from '../../../certificates/caa/caa.ts'
import {
  at,
  bySearch,
  codes,
  forbidden,
  found,
  judgeApex,
  judgeSubdomain,
  observed,
  proving,
  right,
  seen,
  server,
  silent,
  target,
  wantedAt,
} from '../judge.test-kit.ts'
import { type Judgement, judge } from '../judge.ts'
import type { Observation, ResolverObservation } from '../observation.ts'
import { proxyOccasions } from './proxy-findings.test-kit.ts'

function among(...servers: ReturnType<typeof server>[]): Judgement {
  return judge(observed(servers), wantedAt('www.acme.com'))
}

function resolversSay(more: Partial<ResolverObservation>): { resolvers: ResolverObservation } {
  return { resolvers: { rcode: 'NOERROR', records: [], negativeTtl: null, dnssecFailure: false, ...more } }
}

/** Found in our own database, or in checks of a whole domain or of a delegation. */
const elsewhere = ['held_elsewhere', 'zone_not_delegated', 'delegation_missing'] as const
type Elsewhere = (typeof elsewhere)[number]
const isElsewhere = (code: FindingCode): code is Elsewhere => elsewhere.some((one) => one === code)

/** A case for every finding, with what its message and its fix must say. */
const occasions: Record<Exclude<FindingCode, Elsewhere>, [Judgement, message: RegExp, fix: RegExp]> = {
  cname_missing: [
    judgeSubdomain([]),
    /^www\.acme\.com has no CNAME record\. It should have one that points to k3v9x2m1qp\.cname\.pages\.example\.$/,
    /^At the DNS provider of acme\.com \(ns1\.acme\.com and ns2\.acme\.com\), add a CNAME record: name www, value k3v9/,
  ],
  wildcard_unproved: [
    judge(
      observed([server('ns1.acme.com', right)]),
      wantedAt('*.acme.com', { kind: 'wildcard', proof: proving('tok123', { at: 'acme.com' }) }),
    ),
    /^A wildcard needs the proof that acme\.com is yours: one TXT record for the whole domain\.$/,
    /add a TXT record: name _masthead-challenge, value tok123, TTL 3600\.$/,
  ],
  cname_other: [
    judgeSubdomain(['CNAME old.example']),
    /points to old\.example; it should point to k3v9/,
    /change the CNAME record: name www, value k3v9x2m1qp\.cname\.pages\.example, TTL 3600\.$/,
  ],
  address_conflict: [
    judgeSubdomain(['A 203.0.113.1']),
    /^An A record is in the way: www\.acme\.com has A 203\.0\.113\.1/,
    /^Remove A 203\.0\.113\.1 for www, then add the CNAME\. /,
  ],
  apex_missing: [
    judgeApex([]),
    /^acme\.com has no A or AAAA record\. It should point to k3v9\S+ \(192\.0\.2\.7 and 2001:db8::7\)\.$/,
    /add an ALIAS record: name @, value k3v9.* ANAME\. .* set A 192\.0\.2\.7 and AAAA 2001:db8::7 at @\.$/,
  ],
  apex_elsewhere: [
    judgeApex(['A 192.0.2.7', 'A 203.0.113.1']),
    /^acme\.com also points to A 203\.0\.113\.1; it should only point to 192\.0\.2\.7 and 2001:db8::7\.$/,
    /^Remove A 203\.0\.113\.1 for acme\.com; the others can stay\.$/,
  ],
  apex_cname: [
    judgeApex([`CNAME ${target}`]),
    /^acme\.com has CNAME k3v9\S+\. DNS does not allow a CNAME at the domain itself/,
    /^Remove CNAME k3v9\S+ at @\. .*add an ALIAS record: name @/,
  ],
  challenge_missing: [
    judgeApex(['A 192.0.2.7'], { challenge: ['v=spf1'] }, { proof: proving('proof') }),
    /At _masthead-challenge\.acme\.com there is "v=spf1"; it should be "proof"\.$/,
    /^Add www\.acme\.com to your project too: .* Alternatively: .* add a TXT record: name _masthead-challenge, value proof/,
  ],
  challenge_ahead: [
    judgeApex([], {}, { target: null, proof: proving(null) }),
    /the CNAME record of www\.acme\.com, if you add both, or a TXT record\.$/,
    /^Add www\.acme\.com as well, or set the TXT record at _masthead-challenge\.acme\.com/,
  ],
  challenge_other: [
    judgeApex(
      ['A 192.0.2.7'],
      { challenge: ['proof', 'v=spf1', 'x'.repeat(43)] },
      { proof: proving('proof') },
    ),
    /^_masthead-challenge\.acme\.com also has "x{43}", which is not the token for your claim\.$/,
    /^Remove it/,
  ],
  proof_due: [
    judgeApex(['A 192.0.2.7'], { challenge: [] }, { proof: proving('proof', { need: 'asked', dueAt: at }) }),
    /^acme\.com went live before we asked for proof of ownership\. .* the first account that proves it takes it/,
    /add a TXT record: name _masthead-challenge, value proof/,
  ],
  domain_proved_elsewhere: [
    judgeSubdomain(right, {}, { coverage: { by: 'other', domain: 'acme.com', holds: false } }),
    /^Another account has proved acme\.com, so only it can use www\.acme\.com\.$/,
    /`masthead domains prove acme\.com`/,
  ],
  kept_under_proof: [
    judgeSubdomain(right, {}, { coverage: { by: 'other', domain: 'acme.com', holds: true } }),
    /www\.acme\.com stays yours while its record points here/,
    /`masthead domains prove acme\.com`/,
  ],
  challenge_unclear: [
    judgeApex(['A 192.0.2.7'], { challenge: null }, { proof: proving('proof') }),
    /^We couldn't check the proof that you own acme\.com\.$/,
    /a live domain stays up, and we retry automatically/,
  ],
  name_not_found: [
    judgeSubdomain([]),
    /^www\.acme\.com does not exist in DNS \(NXDOMAIN from ns1\.acme\.com and ns2\.acme\.com\)\.$/,
    /it should be www, since most providers append acme\.com automatically/,
  ],
  domain_not_registered: [
    judgeSubdomain([], { delegated: false, zone: 'com' }),
    /^acme\.com has no nameservers/,
    /^Register acme\.com/,
  ],
  nameservers_parked: [
    judge(observed([server('ns1.sedoparking.com', ['A 203.0.113.1'])]), wantedAt('www.acme.com')),
    /^acme\.com uses nameservers of a parking service \(ns1\.sedoparking\.com\), where no records can be added\.$/,
    /^At your registrar, change the nameservers of acme\.com/,
  ],
  resolver_down: [
    judge(
      observed([silent('resolver', 'timeout')], { zone: null, source: 'resolvers', isOffline: true }),
      wantedAt('www.acme.com'),
    ),
    /^Our own DNS resolver does not answer, so we couldn't check www\.acme\.com\.$/,
    /problem on our side/,
  ],
  servers_disagree: [
    among(
      server('ns1.acme.com', right),
      server('ns2.acme.com', ['A 203.0.113.1']),
      server('ns3.acme.com', []),
    ),
    /ns1\.acme\.com: CNAME k3v9\S+; ns2\.acme\.com: A 203\.0\.113\.1; ns3\.acme\.com: no record\.$/,
    /wait until all of them have it.* at ns2\.acme\.com and ns3\.acme\.com/,
  ],
  resolvers_disagree: [
    bySearch(
      server('resolver', right, { address: '192.0.2.1' }),
      server('resolver', [], { address: '192.0.2.2' }),
    ),
    /^Resolvers give different answers .* resolver \(192\.0\.2\.1\): CNAME .*; resolver \(192\.0\.2\.2\): no record\.$/,
    /wait until all of them have it/,
  ],
  ...proxyOccasions,
  nameserver_unreachable: [
    among(server('ns1.acme.com', right), silent('ns2.acme.com', 'timeout')),
    /ns2\.acme\.com \(no answer in time\)/,
    /remove it at your registrar/,
  ],
  nameserver_lame: [
    among(server('ns1.acme.com', right), silent('ns2.acme.com', 'refused')),
    /ns2\.acme\.com \(refuses to answer\)/,
    /Set up the zone there/,
  ],
  servers_unreachable: [
    among(silent('ns1.acme.com', 'timeout'), silent('ns2.acme.com', 'lame')),
    /ns1\.acme\.com \(no answer in time\) and ns2\.acme\.com \(does not know the zone\)/,
    /^Check that the nameservers of acme\.com are set up at your registrar\. We retry automatically/,
  ],
  dnssec_failure: [
    judgeSubdomain(right, resolversSay({ rcode: 'SERVFAIL', dnssecFailure: true })),
    /^Resolvers reject the answers of acme\.com .* its DNSSEC signatures/,
    /DS record/,
  ],
  servfail: [
    among(silent('ns1.acme.com', 'servfail'), silent('ns2.acme.com', 'timeout')),
    /return errors: ns1\.acme\.com\.$/,
    /^We retry automatically, and a live domain stays up\. .* contact your DNS provider/,
  ],
  wildcard_answer: [
    judgeSubdomain(right, { wildcard: '*.acme.com' }),
    /comes from a wildcard record \(\*\.acme\.com\)/,
    /^This works\./,
  ],
  cached_not_found: [
    judgeSubdomain(right, resolversSay({ rcode: 'NXDOMAIN', negativeTtl: 1_700 })),
    /may still get "not found", for up to 29 minutes\.$/,
    /goes away on its own/,
  ],
  cached_old_answer: [
    judgeSubdomain(right, resolversSay({ records: seen('CNAME old.example 7200') })),
    /may still see the old one \(CNAME old\.example\), for up to 2 hours\.$/,
    /goes away on its own/,
  ],
  caa_blocks: [
    judgeSubdomain(right, forbidden('issue', false)),
    /^The CAA records at acme\.com block our certificate for www\.acme\.com: only other\.example may issue certificates\.$/,
    /add a CAA record at acme\.com: 0 issue "ca\.example"$/,
  ],
  caa_unclear: [
    judgeSubdomain(right, { caa: unreadableCaa('the CAA records of acme.com could not be read') }),
    /^We couldn't check the CAA records for www\.acme\.com: the CAA records of acme\.com could not be read\.$/,
    /will not issue/,
  ],
}

test('every finding about DNS can occur, and says what was seen and what to do', () => {
  for (const code of findingCodes) {
    if (isElsewhere(code)) continue
    const [judgement, message, fix] = occasions[code]
    const finding = found(judgement, code)
    assert.match(finding.message, message)
    assert.match(finding.fix, fix)
  }
})

test('a fix names the provider, and does not leave the proxy on', () => {
  const at = (nameserver: string) => found(among(server(nameserver, [])), 'cname_missing').fix
  assert.match(at('ns51.domaincontrol.com'), /^At GoDaddy, add a CNAME record: name www/)
  assert.match(at('gina.ns.cloudflare.com'), /^At Cloudflare, add .*, TTL 3600, proxy status "DNS only"\.$/)
  assert.equal(at('ns.lab.localhost'), `In the lab, run: masthead lab set www.acme.com CNAME ${target}`)
})

test('a fix in the lab takes away first what the lab would refuse to have beside it', () => {
  const at = (hostname: string, code: FindingCode, records: string[], more: Partial<Observation> = {}) => {
    const observation = observed([server('ns.lab.localhost', records)], { hostname, zone: null, ...more })
    return found(judge(observation, wantedAt(hostname)), code).fix
  }
  const www = 'www.acme.localhost'
  const both = ['A 203.0.113.1', 'A 203.0.113.2', 'AAAA 2001:db8::1']
  const set = `masthead lab set ${www} CNAME ${target}`
  assert.equal(
    at(www, 'address_conflict', both),
    'Remove A 203.0.113.1, A 203.0.113.2 and AAAA 2001:db8::1 for www, then add the CNAME. ' +
      `In the lab, run: masthead lab remove ${www} A; masthead lab remove ${www} AAAA; ${set}`,
  )
  assert.equal(at(www, 'address_conflict', both, { wildcard: '*.acme.com' }), `In the lab, run: ${set}`)
  assert.equal(
    at('acme.localhost', 'apex_elsewhere', ['A 203.0.113.1', 'A 192.0.2.7']),
    'Remove A 203.0.113.1 for acme.localhost. ' +
      `In the lab, run: masthead lab remove acme.localhost A; masthead lab set acme.localhost ALIAS ${target}`,
  )
  assert.match(at(www, 'name_not_found', []), /the lab needs the full name, www\.acme\.localhost\./)
})

test('the fix for an apex uses the word of the provider, or the addresses where it has none', () => {
  const at = (nameserver: string) => {
    const observation = observed([server(nameserver, [])], { hostname: 'acme.com' })
    return found(judge(observation, wantedAt('acme.com')), 'apex_missing').fix
  }
  assert.match(at('ns1.dnsimple.com'), /^At DNSimple, add an ALIAS record: name @, value \S+, TTL 3600\.$/)
  assert.match(at('ns1.name.com'), /add an ANAME record/)
  assert.match(at('gina.ns.cloudflare.com'), /add a CNAME record: name @/)
  assert.match(
    at('ns1.domaincontrol.com'),
    /^GoDaddy has no ALIAS .* set A 192\.0\.2\.7 and AAAA 2001:db8::7 at @/,
  )
})

test('a CNAME is never asked for at the top of a delegated subdomain, whatever stands there', () => {
  const own = { zone: 'www.acme.com', above: 'acme.com' }
  const there: [string[], FindingCode][] = [
    [[], 'cname_missing'],
    [['A 203.0.113.1'], 'address_conflict'],
    [['CNAME old.example'], 'cname_other'],
    [['A 104.16.0.1'], 'cloudflare_proxy'],
  ]
  for (const [records, code] of there) {
    assert.match(
      found(judgeSubdomain(records, own), code).fix,
      /delegated to its own nameservers.* In the DNS of acme\.com, remove the NS records for www, .* name www, value k3v9/,
    )
  }
  const unadded = judgeSubdomain(['A 203.0.113.1'], own, { target: null })
  assert.match(
    found(unadded, 'address_conflict').fix,
    /NS records will have to be replaced by the record we show once/,
  )
  const below = { hostname: 'www.eu.acme.com', zone: 'www.eu.acme.com', above: 'eu.acme.com' }
  const judgement = judge(observed([server('ns1.acme.com', [])], below), wantedAt('www.eu.acme.com'))
  assert.match(found(judgement, 'cname_missing').fix, /In the DNS of eu\.acme\.com, .* name www, value/)
})

test('the proxy is only told of where the zone may be at Cloudflare', () => {
  const at = (nameserver: string) => codes(among(server(nameserver, ['A 104.18.1.1'])))[0]
  assert.equal(at('gina.ns.cloudflare.com'), 'cloudflare_proxy')
  assert.equal(at('ns1.acme.com'), 'cloudflare_proxy')
  assert.equal(at('ns51.domaincontrol.com'), 'address_conflict')
})

test('addresses that a wildcard gives need not be removed', () => {
  const { fix } = found(judgeSubdomain(['A 203.0.113.1'], { wildcard: '*.acme.com' }), 'address_conflict')
  assert.doesNotMatch(fix, /Remove/)
  assert.match(fix, /overrides the wildcard/)
})

test('a domain that nobody registered is not also called a missing name, unless it is of the lab', () => {
  const unregistered = judgeSubdomain([], { delegated: false, zone: 'com' })
  assert.deepEqual(codes(unregistered), ['domain_not_registered', 'cname_missing'])
  assert.doesNotMatch(found(unregistered, 'cname_missing').fix, /DNS provider of com/)
  const inLab = observed([server('ns.lab.localhost', [])], { delegated: false, zone: 'localhost' })
  assert.deepEqual(codes(judge(inLab, wantedAt('www.acme.localhost'))), ['cname_missing', 'name_not_found'])
})

test('many addresses that change from answer to answer are no disagreement', () => {
  const judgement = among(
    server('ns1.acme.com', ['A 203.0.113.1']),
    server('ns2.acme.com', ['A 203.0.113.2']),
  )
  assert.deepEqual(codes(judgement), ['address_conflict', 'cached_old_answer'])
})

test('servers of which none is right are told apart, with what is wrong', () => {
  const judgement = among(
    server('ns1.acme.com', ['CNAME a.example']),
    server('ns2.acme.com', ['CNAME b.example']),
  )
  assert.deepEqual(codes(judgement).slice(0, 2), ['servers_disagree', 'cname_other'])
})

test('two addresses of one nameserver that disagree are shown by address', () => {
  const other = server('ns1.acme.com', [], { address: '198.51.100.2' })
  const { message } = found(among(server('ns1.acme.com', right), other), 'servers_disagree')
  assert.match(
    message,
    /ns1\.acme\.com \(198\.51\.100\.1\): CNAME .*; ns1\.acme\.com \(198\.51\.100\.2\): no record/,
  )
})

test('what resolvers will remember is told with the time until which they may', () => {
  const missing = among(
    server('ns1.acme.com', [], { negativeTtl: 900 }),
    server('ns2.acme.com', [], { negativeTtl: 300 }),
  )
  assert.equal(found(missing, 'cached_not_found').until, '2030-01-01T00:15:00.000Z')
  const wrong = among(server('ns1.acme.com', ['A 203.0.113.1 3600']))
  assert.equal(found(wrong, 'cached_old_answer').until, '2030-01-01T01:00:00.000Z')
  const absurd = among(server('ns1.acme.com', ['A 203.0.113.1 2147483647']))
  assert.equal(found(absurd, 'cached_old_answer').until, '2030-01-08T00:00:00.000Z')
})

test('resolvers that have the right answer, or none at all, are not told of', () => {
  assert.deepEqual(codes(judgeSubdomain(right, resolversSay({ records: seen(...right) }))), [])
  assert.deepEqual(codes(judgeSubdomain(right, resolversSay({ rcode: null }))), [])
  assert.deepEqual(codes(judgeSubdomain(right, resolversSay({ rcode: 'SERVFAIL' }))), [])
})
