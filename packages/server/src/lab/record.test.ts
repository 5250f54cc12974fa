import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LabRecordType } from '@masthead/contract/schemas/lab.ts'
import { Problem } from '../kernel/problem.ts'
import { readRecord, refuseConflict } from './record.ts'

const naming = { platformDomain: 'masthead.localhost', edgeAddresses: ['127.0.0.1'] }
const read = (name: string, type: LabRecordType, ...values: string[]) =>
  readRecord({ name, type, values, ttl: 60 }, naming)

function errorsOf(run: () => unknown): { path: string; message: string }[] {
  try {
    run()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    assert.equal(error.code, 'lab_record_invalid')
    return error.extra.errors as { path: string; message: string }[]
  }
  assert.fail('it was not refused')
}

test('names are normalized', () => {
  for (const typed of ['www.bücher.localhost', 'WWW.Bücher.LocalHost.', 'www.xn--bcher-kva.localhost']) {
    assert.equal(read(typed, 'A', '127.0.0.1').name, 'www.xn--bcher-kva.localhost')
  }
  for (const name of ['_masthead-challenge.acme.localhost', '*.acme.localhost', 'www.acme.localhost']) {
    assert.equal(read(name, 'TXT', 'x').name, name)
  }
})

test('names that cannot be in the lab are rejected with the reason', () => {
  const reasons: Record<string, RegExp> = {
    'www.acme.com': /under \.localhost/,
    localhost: /under \.localhost/,
    '127.0.0.1': /a name such as/,
    '': /a name such as/,
    'a..localhost': /a name such as/,
    'a/b.localhost': /a name such as/,
    'a b.localhost': /a name such as/,
    'a\0b.localhost': /a name such as/,
    '%61.localhost': /a name such as/,
    '*.localhost': /a name such as/,
    'a*.acme.localhost': /a name such as/,
    'a.*.acme.localhost': /a name such as/,
    [`${'a'.repeat(64)}.localhost`]: /a name such as/,
    [`${'a.'.repeat(130)}localhost`]: /a name such as/,
    'hello.masthead.localhost': /belongs to the platform/,
    'masthead.localhost': /belongs to the platform/,
    'ns.lab.localhost': /the lab itself/,
  }
  for (const [name, reason] of Object.entries(reasons)) {
    const [error] = errorsOf(() => read(name, 'A', '127.0.0.1'))
    assert.equal(error?.path, 'name')
    assert.match(error.message, reason, name)
  }
})

test('values are normalized and deduplicated', () => {
  const values = (type: LabRecordType, ...typed: string[]) =>
    read('www.acme.localhost', type, ...typed).values
  assert.deepEqual(values('A', '127.0.0.1', ' 127.0.0.1 '), ['127.0.0.1'])
  assert.deepEqual(values('AAAA', '0:0::1', '2001:DB8::0'), ['::1', '2001:db8::'])
  assert.deepEqual(values('CNAME', 'Target.Example.COM.'), ['target.example.com'])
  assert.deepEqual(values('TXT', ' as it is '), [' as it is '])
  assert.deepEqual(values('CAA', '0 ISSUE letsencrypt.org', '128 iodef "mailto:a b@c.d"', '0 issue ";"'), [
    '0 issue "letsencrypt.org"',
    '128 iodef "mailto:a b@c.d"',
    '0 issue ";"',
  ])
})

test('values that do not fit their type are rejected with their index', () => {
  const wrong: [LabRecordType, string][] = [
    ['A', '127.0.0.256'],
    ['A', '::1'],
    ['AAAA', '127.0.0.1'],
    ['AAAA', 'fe80::1%eth0'],
    ['CNAME', '127.0.0.1'],
    ['CNAME', 'two names'],
    ['CNAME', '*.acme.localhost'],
    ['CNAME', 'https://acme.localhost/'],
    ['ALIAS', 'www.example.com'],
    ['TXT', 'a\0b'],
    ['TXT', 'half a pair: \ud83d'],
    ['CAA', 'letsencrypt.org'],
    ['CAA', '256 issue "a"'],
    ['CAA', '0 issue "a" b"'],
  ]
  for (const [type, value] of wrong) {
    const [error] = errorsOf(() => read('www.acme.localhost', type, value))
    assert.equal(error?.path, 'values.0', `${type} ${value}`)
  }
  assert.deepEqual(
    errorsOf(() => read('www.acme.localhost', 'CNAME', 'a.localhost', 'b.localhost')).map(({ path }) => path),
    ['values'],
  )
  assert.deepEqual(
    errorsOf(() => read('x.localhost', 'TXT', 'ü'.repeat(1_500), 'ä'.repeat(1_500))).map(({ path }) => path),
    ['values'],
  )
})

test('a CNAME must be the only record, and an ALIAS replaces addresses', () => {
  const conflicts = (name: string, type: LabRecordType, ...present: LabRecordType[]) =>
    errorsOf(() => refuseConflict({ name, type, values: [], ttl: 60 }, present))[0]?.message ?? ''
  assert.match(conflicts('acme.localhost', 'CNAME'), /ALIAS instead/)
  assert.match(conflicts('www.acme.localhost', 'CNAME', 'TXT'), /has a record of type TXT/)
  assert.match(conflicts('www.acme.localhost', 'TXT', 'CNAME'), /has a record of type CNAME/)
  assert.match(conflicts('acme.localhost', 'ALIAS', 'AAAA'), /has a record of type AAAA/)
  assert.match(conflicts('acme.localhost', 'A', 'ALIAS'), /has a record of type ALIAS/)
  assert.match(
    conflicts('www.acme.localhost', 'CNAME', 'A', 'TXT'),
    /Remove it first: masthead lab remove www\.acme\.localhost A; masthead lab remove www\.acme\.localhost TXT$/,
  )
  const fine: [string, LabRecordType, LabRecordType[]][] = [
    ['www.acme.localhost', 'CNAME', ['CNAME']],
    ['acme.localhost', 'ALIAS', ['TXT', 'CAA', 'ALIAS']],
    ['acme.localhost', 'A', ['AAAA', 'TXT']],
  ]
  for (const [name, type, present] of fine) refuseConflict({ name, type, values: [], ttl: 60 }, present)
})
