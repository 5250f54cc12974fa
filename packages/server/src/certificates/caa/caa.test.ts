import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter } from '@masthead/testing/any-character.ts'
import fc from 'fast-check'
import { type CaaBinding, type CaaRecord, checkCaa } from './caa.ts'

const ours = ['ca.example']

/** `0 issue "ca.example"`, as in a zone file. */
function record(text: string): CaaRecord {
  const [, flags, tag = '', value = ''] = /^(\d+) (\S+) "(.*)"$/.exec(text) ?? []
  return { critical: Number(flags) >= 128, tag, value }
}

function zone(records: Record<string, string[]>, failing: string[] = []) {
  const asked: string[] = []
  const lookUp = async (name: string) => {
    asked.push(name)
    return failing.includes(name) ? ('failed' as const) : { records: (records[name] ?? []).map(record) }
  }
  return { asked, lookUp }
}

async function kindFor(records: string[], binding?: CaaBinding): Promise<string> {
  const { lookUp } = zone({ 'www.acme.com': records })
  return (await checkCaa('www.acme.com', ours, lookUp, binding)).kind
}

test('records allow our CA exactly if they name it', async () => {
  const account: CaaBinding = { accountUri: 'https://ca.example/acct/7' }
  const pairs: [allowed: string[], forbidden: string[], binding?: CaaBinding][] = [
    [['0 issue "ca.example"'], ['0 issue "other.example"']],
    [['0 ISSUE "CA.Example"'], ['0 ISSUE "ca.example.org"']],
    [
      ['0 issue "other.example"', '0 issue "ca.example"'],
      ['0 issue "other.example"', '0 issue "third.example"'],
    ],
    [['0 issue ";"', '0 issue "ca.example"'], ['0 issue ";"']],
    [['0 iodef "mailto:ann@acme.com"'], ['0 iodef "mailto:ann@acme.com"', '0 issue ""']],
    [['0 issuewild ";"'], ['0 issuewild "ca.example"', '0 issue ";"']],
    [['0 future "x"'], ['128 future "x"', '0 issue "ca.example"']],
    [['128 issue "ca.example"'], ['128 issue "other.example"']],
    [
      ['128 Issue "ca.example"', '128 issuewild ";"', '128 iodef "mailto:ann@acme.com"'],
      ['128 Future "x"', '0 issue "ca.example"'],
    ],
    [
      ['128 issuevmc "vmc.example"', '128 issuemail "mail.example"', '0 issue "ca.example"'],
      ['128 issuevmc2 "x"', '0 issue "ca.example"'],
    ],
    [['0 issue " \tca.example\t ; "'], ['0 issue "ca.example other.example"']],
    [['0 issue "ca.example; policy=ev"'], ['0 issue "ca.example; policy"']],
    [['0 issue "ca.example;a=1;b = 2"'], ['0 issue "ca.example;a=1;;b=2"']],
    [['0 issue "ca.example; a="'], ['0 issue "ca.example; a=b c"']],
    [['0 issue "ca.example"'], ['0 issue "ca.example."']],
    [['0 issue "ca.example"'], ['0 issue "-ca.example"']],
    [
      ['0 issue "ca.example;accounturi=https://ca.example/acct/7"'],
      ['0 issue "ca.example;accounturi=https://ca.example/acct/8"'],
      account,
    ],
    [
      ['0 issue "ca.example;ACCOUNTURI=https://ca.example/acct/7"'],
      ['0 issue "ca.example;accounturi=https://ca.example/acct/7;accounturi=https://ca.example/acct/7"'],
      account,
    ],
    [
      ['0 issue "ca.example;validationmethods=dns-01,http-01"'],
      ['0 issue "ca.example;validationmethods=dns-01"'],
    ],
    [['0 issue "ca.example;validationmethods=tls-alpn-01"'], ['0 issue "ca.example;validationmethods="']],
    [
      ['0 issue "ca.example;validationmethods=dns-01"'],
      ['0 issue "ca.example;validationmethods=http-01"'],
      { methods: ['dns-01'] },
    ],
    [
      ['0 issue "ca.example;validationmethods=http-01"'],
      ['0 issue "ca.example;validationmethods=http-01,,"'],
    ],
    [
      ['0 issue "ca.example;validationmethods=dns-01"', '0 issue "ca.example"'],
      ['0 issue "ca.example;validationmethods=http-01;validationmethods=http-01"'],
    ],
  ]
  for (const [allowed, forbidden, binding] of pairs) {
    assert.equal(await kindFor(allowed, binding), 'allowed', allowed.join(' '))
    assert.equal(await kindFor(forbidden, binding), 'forbidden', forbidden.join(' '))
  }
})

test('for a wildcard, issuewild wins over issue, and the name below the star is asked first', async () => {
  const of = async (name: string, records: string[]) => {
    const { lookUp, asked } = zone({ 'acme.com': records, 'eu.acme.com': [] })
    return { verdict: await checkCaa(name, ours, lookUp, { methods: ['dns-01'] }), asked }
  }
  const kind = async (name: string, ...records: string[]) => (await of(name, records)).verdict.kind
  for (const [records, plain, wildcard] of [
    [['0 issue "ca.example"'], 'allowed', 'allowed'],
    [['0 issue "other.example"'], 'forbidden', 'forbidden'],
    [['0 issue "ca.example"', '0 issuewild ";"'], 'allowed', 'forbidden'],
    [['0 issue ";"', '0 IssueWild "CA.example"'], 'forbidden', 'allowed'],
    [['0 issuewild "other.example"'], 'allowed', 'forbidden'],
    [['0 issuewild "other.example"', '0 issuewild "ca.example"', '0 issue ";"'], 'forbidden', 'allowed'],
    [['0 issuewild "ca.example;validationmethods=http-01"'], 'allowed', 'forbidden'],
    [['0 issuewild "ca.example"', '0 issue "ca.example"', '128 future "x"'], 'forbidden', 'forbidden'],
  ] as [string[], string, string][]) {
    assert.equal(await kind('acme.com', ...records), plain, records.join(' '))
    assert.equal(await kind('*.acme.com', ...records), wildcard, records.join(' '))
    assert.equal(await kind('*.eu.acme.com', ...records), wildcard, records.join(' '))
  }
  assert.deepEqual((await of('*.eu.acme.com', ['0 issue ";"'])).asked, ['eu.acme.com', 'acme.com'])

  const fix = async (...records: string[]) => {
    const { verdict } = await of('*.acme.com', records)
    assert.ok(verdict.kind === 'forbidden')
    return [verdict.why, verdict.add?.value]
  }
  assert.deepEqual(await fix('0 issue "ca.example"', '0 issuewild "other.example"'), [
    'only other.example may issue wildcard certificates',
    '0 issuewild "ca.example"',
  ])
  // An issuewild would take wildcards away from the other authority.
  assert.deepEqual(await fix('0 issue "other.example"'), [
    'only other.example may issue certificates',
    '0 issue "ca.example"',
  ])
})

test('the verdict is unclear if the records name an account and ours is not known yet', async () => {
  const bound = '0 issue "ca.example;accounturi=https://ca.example/acct/7"'
  assert.equal(await kindFor([bound]), 'unclear')
  assert.equal(await kindFor([bound, '0 issue "ca.example"']), 'allowed')
  assert.equal(await kindFor([bound.replace(/"$/, ';validationmethods=dns-01"')]), 'forbidden')
})

test('a fix for records that name another account restricts issuance to ours', async () => {
  const { lookUp } = zone({ 'acme.com': ['0 issue "ca.example;accounturi=https://ca.example/acct/8"'] })
  const verdict = await checkCaa('acme.com', ours, lookUp, { accountUri: 'https://ca.example/acct/7' })
  assert.ok(verdict.kind === 'forbidden')
  assert.equal(verdict.add?.value, '0 issue "ca.example; accounturi=https://ca.example/acct/7"')
})

test('the allowed methods are those of all records that name us', async () => {
  const methods = async (...records: string[]) => {
    const { lookUp } = zone({ 'acme.com': records })
    const verdict = await checkCaa('acme.com', ours, lookUp, { accountUri: 'https://ca.example/acct/7' })
    return verdict.kind === 'allowed' ? verdict.methods : verdict.kind
  }
  const http = '0 issue "ca.example;validationmethods=http-01"'
  const both = '0 issue "ca.example;validationmethods=dns-01,tls-alpn-01"'
  assert.deepEqual(await methods(http), ['http-01'])
  assert.deepEqual(await methods(http, both), ['http-01', 'dns-01', 'tls-alpn-01'])
  assert.equal(await methods(http, '0 issue "ca.example"'), null)
  const others = ['0 issue "other.example"', '0 issue "ca.example;accounturi=https://ca.example/acct/8"']
  assert.deepEqual(await methods(http, ...others), ['http-01'])
  assert.equal(await methods('0 iodef "mailto:ann@acme.com"'), null)
})

test('an aborted check sends no further queries', async () => {
  const off = new AbortController()
  const asked: string[] = []
  const lookUp = async (name: string) => {
    asked.push(name)
    off.abort()
    return { records: [] }
  }
  assert.equal((await checkCaa('a.b.acme.com', ours, lookUp, { signal: off.signal })).kind, 'unclear')
  assert.deepEqual(asked, ['a.b.acme.com'])
})

test('the nearest name with records decides, and its parents are not queried', async () => {
  const { asked, lookUp } = zone({ 'acme.com': ['0 issue "ca.example"'], com: ['0 issue ";"'] })
  assert.equal((await checkCaa('www.eu.acme.com', ours, lookUp)).kind, 'allowed')
  assert.deepEqual(asked, ['www.eu.acme.com', 'eu.acme.com', 'acme.com'])
})

test('a name without records up to its top-level domain allows any CA', async () => {
  const { asked, lookUp } = zone({})
  assert.deepEqual(await checkCaa('www.acme.com', ours, lookUp), { kind: 'allowed', methods: null })
  assert.deepEqual(asked, ['www.acme.com', 'acme.com', 'com'])
})

test('records behind a CNAME decide like its own, and the parents are those of the name itself', async () => {
  // A lookup of www.acme.com returns the records of its target, whose parents are never queried.
  const behind = zone({ 'www.acme.com': ['0 issue "other.example"'], 'acme.com': ['0 issue "ca.example"'] })
  const verdict = await checkCaa('www.acme.com', ours, async (name) => {
    const answer = await behind.lookUp(name)
    return answer === 'failed' ? answer : { ...answer, at: 'shops.other.example' }
  })
  assert.ok(verdict.kind === 'forbidden')
  assert.deepEqual([verdict.at, verdict.behind], ['shops.other.example', 'www.acme.com'])
  const nothing = zone({ 'cdn.example': ['0 issue ";"'], 'acme.com': ['0 issue "ca.example"'] })
  assert.equal((await checkCaa('www.acme.com', ours, nothing.lookUp)).kind, 'allowed')
})

test('a forbidden verdict says where the records are, whom they allow, and how to fix it', async () => {
  const { lookUp } = zone({ 'acme.com': ['0 issue "other.example; policy=ev"'] })
  assert.deepEqual(await checkCaa('www.acme.com', ['ca.example', 'ca2.example'], lookUp), {
    kind: 'forbidden',
    at: 'acme.com',
    behind: null,
    records: [record('0 issue "other.example; policy=ev"')],
    why: 'only other.example may issue certificates',
    add: { fqdn: 'acme.com', value: '0 issue "ca.example"' },
  })
})

test('one of several identities is enough', async () => {
  const { lookUp } = zone({ 'acme.com': ['0 issue "ca2.example"'] })
  assert.equal((await checkCaa('acme.com', ['ca.example', 'ca2.example'], lookUp)).kind, 'allowed')
})

test('an issuer without identities sends no queries', async () => {
  const { asked, lookUp } = zone({ 'acme.com': ['0 issue ";"'] })
  assert.deepEqual(await checkCaa('acme.com', [], lookUp), { kind: 'allowed', methods: null })
  assert.deepEqual(asked, [])
})

test('the verdict is unclear if a lookup fails, unless a nearer name has decided', async () => {
  const near = zone({}, ['acme.com'])
  const unclear = await checkCaa('www.acme.com', ours, near.lookUp)
  assert.deepEqual(unclear, {
    kind: 'unclear',
    cause: 'unread',
    why: 'the CAA records of acme.com could not be read',
  })
  const far = zone({ 'acme.com': ['0 issue "ca.example"'] }, ['com'])
  assert.equal((await checkCaa('www.acme.com', ours, far.lookUp)).kind, 'allowed')
  const broken = await checkCaa('acme.com', ours, () => Promise.reject(new Error('broken')))
  assert.equal(broken.kind, 'unclear')
})

test('any zone content gives a verdict, and its reason is printable', async () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 60 }),
    fc
      .array(
        fc.constantFrom('ca.example', ';', '=', ' ', 'accounturi', 'validationmethods', ',', 'http-01', '-'),
      )
      .map((parts) => parts.join('')),
  )
  const tag = fc.oneof(fc.constantFrom('issue', 'ISSUE', 'issuewild', 'iodef'), text)
  const records = fc.array(fc.record({ critical: fc.boolean(), tag, value: text }), { maxLength: 4 })
  const kinds = new Set<string>()
  await fc.assert(
    fc.asyncProperty(records, async (found) => {
      // With an account, records that name one are clear too.
      const binding = { accountUri: 'https://ca.example/acct/1' }
      const verdict = await checkCaa('www.acme.com', ours, async () => ({ records: found }), binding)
      kinds.add(verdict.kind)
      if (verdict.kind === 'forbidden') assert.doesNotMatch(verdict.why, /\p{C}/u)
    }),
    { numRuns: 2_000 },
  )
  assert.deepEqual([...kinds].sort(), ['allowed', 'forbidden'])
})

test('a value crafted to slow down parsing is parsed quickly', async () => {
  const { lookUp } = zone({ 'acme.com': [`0 issue "${'a-'.repeat(30_000)}!"`] })
  assert.equal((await checkCaa('acme.com', ours, lookUp)).kind, 'forbidden')
  const nearly = zone({ 'acme.com': [`0 issue "${'a-'.repeat(900)}!"`] })
  assert.equal((await checkCaa('acme.com', ours, nearly.lookUp)).kind, 'forbidden')
})
