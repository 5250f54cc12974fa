import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unreadableCaa } from '../../../certificates/caa/caa.ts'
import { forbidden, found, judgeSubdomain, right } from '../judge.test-kit.ts'

test('CAA behind a CNAME goes away with the CNAME, or is fixed where it points', () => {
  const behind = (records: string[]) => {
    const { caa } = forbidden('issue', false)
    if (caa.kind !== 'forbidden') throw new Error('It is forbidden')
    const add = { fqdn: 'shops.other.example', value: '0 issue "ca.example"' }
    const there = { ...caa, at: 'shops.other.example', behind: 'www.acme.com', add }
    return found(judgeSubdomain(records, { caa: there }), 'caa_blocks')
  }
  const leaving = behind(['CNAME shops.other.example'])
  assert.match(
    leaving.message,
    /^The CAA records at shops\.other\.example, which www\.acme\.com points to, block/,
  )
  assert.match(leaving.fix, /^Nothing to do: they no longer apply once www\.acme\.com points here\.$/)
  assert.equal(leaving.records, undefined)
  assert.match(behind(right).fix, /^Ask the owner of shops\.other\.example to add a CAA record/)
})

test('an account that CAA names before ours is known is nothing to mend', () => {
  const caa = { kind: 'unclear', cause: 'unknown_account', why: 'ours is not known yet' } as const
  assert.match(found(judgeSubdomain(right, { caa }), 'caa_unclear').fix, /^Nothing to do yet/)
})

test('a CAA property that must be understood has to go; another record would not help', () => {
  const { fix, records } = found(judgeSubdomain(right, forbidden('future', true)), 'caa_blocks')
  assert.match(fix, /remove the CAA record 128 future "x" at acme\.com/)
  assert.deepEqual(records, [{ type: 'CAA', fqdn: 'acme.com', value: '128 future "x"' }])
})

test('the CAA record is among the changes, unless it is in the zone of someone else', () => {
  const changesOf = (judged: ReturnType<typeof judgeSubdomain>) =>
    judged.changes.filter(({ type }) => type === 'CAA')
  const record = { type: 'CAA', name: '@', fqdn: 'acme.com', ttl: 3600 }
  const add = { ...record, action: 'add', from: null, to: '0 issue "ca.example"' }
  assert.deepEqual(changesOf(judgeSubdomain(right, forbidden('issue', false))), [add])
  assert.deepEqual(changesOf(judgeSubdomain([], forbidden('issue', false))), [add])
  const remove = { ...record, action: 'remove', from: '128 future "x"', to: null }
  assert.deepEqual(changesOf(judgeSubdomain(right, forbidden('future', true))), [remove])
  const { caa } = forbidden('issue', false)
  const there = { ...caa, at: 'shops.other.example', behind: 'www.acme.com' }
  assert.deepEqual(changesOf(judgeSubdomain(right, { caa: there })), [])
  assert.deepEqual(changesOf(judgeSubdomain(['CNAME shops.other.example'], { caa: there })), [])
})

test('CAA never keeps a name from being verified', () => {
  assert.equal(judgeSubdomain(right, forbidden('issue', false)).outcome, 'right')
  assert.equal(judgeSubdomain(right, { caa: unreadableCaa('x') }).outcome, 'right')
})
