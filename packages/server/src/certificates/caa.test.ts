import assert from 'node:assert/strict'
import { test } from 'node:test'
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

test('records allow our authority exactly where they name it', async () => {
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
    [['0 issue "ca.example"'], ['0 issue "ca.example;accounturi=https://ca.example/acct/7"']],
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

test('the nearest name with records decides, and nothing above it is asked', async () => {
  const { asked, lookUp } = zone({ 'acme.com': ['0 issue "ca.example"'], com: ['0 issue ";"'] })
  assert.equal((await checkCaa('www.eu.acme.com', ours, lookUp)).kind, 'allowed')
  assert.deepEqual(asked, ['www.eu.acme.com', 'eu.acme.com', 'acme.com'])
})

test('a name without records up to its top-level domain may have certificates of anyone', async () => {
  const { asked, lookUp } = zone({})
  assert.deepEqual(await checkCaa('www.acme.com', ours, lookUp), { kind: 'allowed' })
  assert.deepEqual(asked, ['www.acme.com', 'acme.com', 'com'])
})

test('records found behind a CNAME decide like its own, and the climb goes on by its own labels', async () => {
  // A look-up of www.acme.com answers with the records of what it points to; their parents are never asked.
  const behind = zone({ 'www.acme.com': ['0 issue "other.example"'], 'acme.com': ['0 issue "ca.example"'] })
  assert.equal((await checkCaa('www.acme.com', ours, behind.lookUp)).kind, 'forbidden')
  const nothing = zone({ 'cdn.example': ['0 issue ";"'], 'acme.com': ['0 issue "ca.example"'] })
  assert.equal((await checkCaa('www.acme.com', ours, nothing.lookUp)).kind, 'allowed')
})

test('a block shows where it stands, whom it allows and the record that would lift it', async () => {
  const { lookUp } = zone({ 'acme.com': ['0 issue "other.example; policy=ev"'] })
  assert.deepEqual(await checkCaa('www.acme.com', ['ca.example', 'ca2.example'], lookUp), {
    kind: 'forbidden',
    at: 'acme.com',
    records: [record('0 issue "other.example; policy=ev"')],
    why: 'only other.example may issue certificates',
    add: { fqdn: 'acme.com', value: '0 issue "ca.example"' },
  })
})

test('any of several identities is enough', async () => {
  const { lookUp } = zone({ 'acme.com': ['0 issue "ca2.example"'] })
  assert.equal((await checkCaa('acme.com', ['ca.example', 'ca2.example'], lookUp)).kind, 'allowed')
})

test('without an authority that minds CAA nothing is asked', async () => {
  const { asked, lookUp } = zone({ 'acme.com': ['0 issue ";"'] })
  assert.deepEqual(await checkCaa('acme.com', [], lookUp), { kind: 'allowed' })
  assert.deepEqual(asked, [])
})

test('a look-up that fails leaves it unclear, unless a nearer name has decided', async () => {
  const near = zone({}, ['acme.com'])
  const unclear = await checkCaa('www.acme.com', ours, near.lookUp)
  assert.deepEqual(unclear, { kind: 'unclear', why: 'the CAA records of acme.com could not be read' })
  const far = zone({ 'acme.com': ['0 issue "ca.example"'] }, ['com'])
  assert.equal((await checkCaa('www.acme.com', ours, far.lookUp)).kind, 'allowed')
  const broken = await checkCaa('acme.com', ours, () => Promise.reject(new Error('broken')))
  assert.equal(broken.kind, 'unclear')
})

test('whatever a zone holds, there is a verdict, and what forbids is printable', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
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
      const verdict = await checkCaa('www.acme.com', ours, async () => ({ records: found }))
      kinds.add(verdict.kind)
      if (verdict.kind === 'forbidden') assert.doesNotMatch(verdict.why, /\p{C}/u)
    }),
    { numRuns: 2_000 },
  )
  assert.deepEqual([...kinds].sort(), ['allowed', 'forbidden'])
})

test('a value made to keep a reader busy is read at once', async () => {
  const { lookUp } = zone({ 'acme.com': [`0 issue "${'a-'.repeat(30_000)}!"`] })
  assert.equal((await checkCaa('acme.com', ours, lookUp)).kind, 'forbidden')
  const nearly = zone({ 'acme.com': [`0 issue "${'a-'.repeat(900)}!"`] })
  assert.equal((await checkCaa('acme.com', ours, nearly.lookUp)).kind, 'forbidden')
})
