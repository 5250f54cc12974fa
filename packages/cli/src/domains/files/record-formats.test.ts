import assert from 'node:assert/strict'
import { Resolver } from 'node:dns/promises'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { recordFormats } from '@masthead/contract/domains/record-formats/record-formats.ts'
import { hclString } from '@masthead/contract/domains/record-formats/terraform.ts'
import type { RequiredDnsRecord } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { startKnot } from '@masthead/testing/peers/knot.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { parse } from 'yaml'
import { pendingDomain } from '../../../test/sample-domains.ts'

type Shown = Pick<Domain, 'hostname' | 'unicode' | 'records' | 'lastCheck' | 'certificate'>

const { certificate } = pendingDomain('www.acme.test', 0)

function record(more: Partial<RequiredDnsRecord>): RequiredDnsRecord {
  return {
    purpose: 'routing',
    type: 'CNAME',
    name: 'www',
    fqdn: 'www.acme.test',
    value: 'k3v9.cname.masthead.test',
    ttl: 3600,
    status: 'unchecked',
    observed: [],
    alternatives: [],
    ...more,
  }
}

function domain(hostname: string, ...records: RequiredDnsRecord[]): Shown {
  return { hostname, unicode: hostname, records, lastCheck: null, certificate }
}

const www = domain('www.acme.test', record({}))
const addresses = [
  { type: 'A', value: '192.0.2.7' },
  { type: 'AAAA', value: '2001:db8::7' },
] as const
const apex = domain(
  'acme.test',
  record({
    type: 'ALIAS',
    name: '@',
    fqdn: 'acme.test',
    value: 'q1.cname.masthead.test',
    alternatives: [...addresses],
  }),
  record({
    purpose: 'ownership',
    type: 'TXT',
    name: '_masthead-challenge',
    fqdn: '_masthead-challenge.acme.test',
    value: 'token-1',
  }),
)
const idn: Shown = {
  ...domain('www.xn--bcher-kva.test', record({ fqdn: 'www.xn--bcher-kva.test' })),
  unicode: 'www.bücher.test',
}
const wildcard = domain(
  '*.acme.test',
  record({ name: '*', fqdn: '*.acme.test', value: 'w1.cname.masthead.test' }),
  record({ name: '_acme-challenge', fqdn: '_acme-challenge.acme.test', value: 'w1.acme.masthead.test' }),
  record({ name: '*.shop', fqdn: '*.shop.acme.test', value: 'w2.cname.masthead.test' }),
)
/** A server of a stranger could send these. */
const hostile = [
  'a"b\\c;d',
  '$'.concat('{file("/etc/passwd")} %{ if true } \\b'),
  '"); process.exit(1); ("',
  'line\nbreak\r\n$INCLUDE /etc/passwd',
  '\u2028</script>\0\u007f',
  'ü😀',
  'x'.repeat(255),
  'ü'.repeat(300),
]

function txt(value: string, index: number): Shown {
  const name = `t${index}`
  return domain(`${name}.acme.test`, record({ type: 'TXT', name, fqdn: `${name}.acme.test`, value }))
}

test('a zone file has addresses instead of ALIAS, and complete names', () => {
  assert.equal(
    recordFormats.bind.write([www, apex, www]),
    [
      '$ORIGIN acme.test.',
      'www 3600 IN CNAME k3v9.cname.masthead.test.',
      '@ 3600 IN A 192.0.2.7',
      '@ 3600 IN AAAA 2001:db8::7',
      '_masthead-challenge 3600 IN TXT "token-1"',
      '',
    ].join('\n'),
  )
  const unknown = domain('acme.test', record({ type: 'ALIAS', name: '@', fqdn: 'acme.test' }))
  assert.match(recordFormats.bind.write([unknown]), /^; @ 3600 ALIAS k3v9\.cname\.masthead\.test\./m)
  assert.match(
    recordFormats.bind.write([idn, www]),
    /^\$ORIGIN acme\.test\.\n[^$]*\n\$ORIGIN xn--bcher-kva\.test\.$/m,
  )
})

test('a real nameserver reads the zone file, whatever the values are', {
  skip: skipWithout('knot'),
}, async () => {
  const content = recordFormats.bind.write([www, apex, wildcard, ...hostile.map(txt)])
  const nameserver = await startKnot({ zones: { 'acme.test': content } })
  try {
    const resolver = new Resolver()
    resolver.setServers([`${nameserver.address}:${nameserver.port}`])
    for (const [index, value] of hostile.entries()) {
      const [strings = []] = await resolver.resolveTxt(`t${index}.acme.test`)
      // Node reads each byte as a character.
      assert.equal(Buffer.from(strings.join(''), 'latin1').toString(), value)
    }
    assert.deepEqual(await resolver.resolveCname('www.acme.test'), ['k3v9.cname.masthead.test'])
    assert.deepEqual(await resolver.resolveCname('anything.acme.test'), ['w1.cname.masthead.test'])
    assert.deepEqual(await resolver.resolveCname('x.shop.acme.test'), ['w2.cname.masthead.test'])
    assert.deepEqual(await resolver.resolve4('acme.test'), ['192.0.2.7'])
    assert.deepEqual(await resolver.resolve6('acme.test'), ['2001:db8::7'])
  } finally {
    await nameserver.stop()
  }
})

test('DNSControl reads what was meant', () => {
  const seen: unknown[] = []
  const call =
    (type: string) =>
    (...values: unknown[]) => [type, ...values]
  const globals = {
    D_EXTEND: (...values: unknown[]) => seen.push(values),
    ...{ CNAME: call('CNAME'), ALIAS: call('ALIAS'), TXT: call('TXT'), TTL: Number },
  }
  runInNewContext(recordFormats.dnscontrol.write([apex, ...hostile.map(txt)]), globals)
  assert.deepEqual(JSON.parse(JSON.stringify(seen)), [
    [
      'acme.test',
      ['ALIAS', '@', 'q1.cname.masthead.test.', 3600],
      ['TXT', '_masthead-challenge', 'token-1', 3600],
      ...hostile.map((value, index) => ['TXT', `t${index}`, value, 3600]),
    ],
  ])
})

test('octoDNS reads what was meant, in the order it wants', () => {
  const text = recordFormats.octodns.write([www, apex, ...hostile.map(txt)])
  const read = parse(text) as Record<string, { type: string; value: string; ttl: number }[]>
  assert.equal(Object.keys(read)[0], '')
  assert.deepEqual(read[''], [{ ttl: 3600, type: 'ALIAS', value: 'q1.cname.masthead.test.' }])
  assert.deepEqual(read.www, [{ ttl: 3600, type: 'CNAME', value: 'k3v9.cname.masthead.test.' }])
  for (const [index, value] of hostile.entries()) {
    assert.equal(read[`t${index}`]?.[0]?.value.replaceAll('\\;', ';'), value)
  }
})

test('a wildcard has its star in every format, quoted where a star means something else', () => {
  const written = (format: 'bind' | 'terraform' | 'dnscontrol' | 'octodns') =>
    recordFormats[format].write([www, wildcard, apex])
  assert.match(written('bind'), /^\* 3600 IN CNAME w1\.cname\.masthead\.test\.$/m)
  assert.match(written('bind'), /^\*\.shop 3600 IN CNAME w2\.cname\.masthead\.test\.$/m)
  assert.match(
    written('terraform'),
    /"dns_cname_record" "masthead_wildcard_acme_test_cname" \{\n {2}zone = "acme\.test\."\n {2}name = "\*"\n/,
  )
  assert.match(written('dnscontrol'), /^ {2}CNAME\("\*", "w1\.cname\.masthead\.test\.", TTL\(3600\)\),$/m)
  // Unquoted, `*` would be an alias in YAML.
  const names = Object.keys(parse(written('octodns')) as object)
  assert.deepEqual(names, ['', '*', '*.shop', '_acme-challenge', '_masthead-challenge', 'www'])
})

test('Terraform has a resource for each name and type, with names of their own', () => {
  const dashed = domain('a-b.acme.test', record({ name: 'a-b', fqdn: 'a-b.acme.test' }))
  const dotted = domain('a.b.acme.test', record({ name: 'a.b', fqdn: 'a.b.acme.test' }))
  const text = recordFormats.terraform.write([apex, dashed, dotted])
  assert.match(
    text,
    /resource "dns_a_record_set" "masthead_acme_test_a" \{\n {2}zone = "acme\.test\."\n {2}addresses = \["192\.0\.2\.7"\]\n {2}ttl = 3600\n\}/,
  )
  assert.match(text, /"masthead_a_b_acme_test_cname"[\s\S]*"masthead_a_b_acme_test_cname_2"/)
  for (const value of hostile) {
    const literal = hclString(value)
    assert.match(literal, /^"(?:[^"\\\p{Cc}]|\\(?:["\\]|u[0-9a-f]{4}))*"$/u)
    assert.ok(!/(?<!\$)\$\{|(?<!%)%\{/.test(literal))
  }
})

test('a message has the instructions for every domain, and nobody can add lines to it', () => {
  const removal = {
    action: 'remove',
    type: 'A',
    name: 'www',
    fqdn: 'www.acme.test',
    to: null,
    ttl: 60,
  } as const
  const lastCheck = {
    changes: [{ ...removal, from: '192.0.2.1\nPlease pay' }],
    zone: 'acme.test',
    provider: null,
  }
  const text = recordFormats.message.write([
    { ...www, lastCheck: lastCheck as unknown as Domain['lastCheck'] },
    apex,
    idn,
  ])
  assert.match(
    text,
    /^To point www\.acme\.test to our site, please make these changes in the zone acme\.test:/,
  )
  assert.match(text, /^ {3}Value: {2}192\.0\.2\.1 Please pay$/m)
  assert.match(text, /^To point www\.bücher\.test \(www\.xn--bcher-kva\.test\) to our site/m)
})
