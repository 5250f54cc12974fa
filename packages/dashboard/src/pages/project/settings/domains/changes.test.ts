import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DnsRecordWanted, RecordChange } from '@masthead/contract/schemas/domain.ts'
import { addressesInstead, changesToShow, toDo } from './changes.ts'
import { checkWith, cname, target } from './domain.test-kit.ts'

function change(action: RecordChange['action'], more: Partial<RecordChange> = {}): RecordChange {
  return {
    action,
    type: 'CNAME',
    name: 'help',
    fqdn: 'help.acme.com',
    from: null,
    to: target,
    ttl: 3600,
    ...more,
  }
}

test('what is in the way is to be removed before the record is added, and what stays comes last', () => {
  const check = checkWith({ changes: [change('keep'), change('add'), change('change'), change('remove')] })
  const actions = changesToShow(check, []).map(({ action }) => action)
  assert.deepEqual(actions, ['remove', 'change', 'add', 'keep'])
})

test('before the first look every record is to be added', () => {
  assert.deepEqual(changesToShow(null, [cname]), [change('add')])
})

test('a look that nobody answered leaves the record to be set as it is asked for', () => {
  assert.deepEqual(toDo(checkWith({ outcome: 'unclear' }), [cname]), [change('add')])
})

test('a record that was seen is kept, and is nothing to do', () => {
  const seen = { ...cname, status: 'ok' } as const
  assert.equal(changesToShow(null, [seen])[0]?.action, 'keep')
  assert.deepEqual(toDo(null, [seen]), [])
})

test('addresses are told where an ALIAS is asked for, and nowhere else', () => {
  const alternatives: DnsRecordWanted['alternatives'] = [{ type: 'A', value: '192.0.2.7' }]
  const records: DnsRecordWanted[] = [{ ...cname, type: 'ALIAS', alternatives }]
  assert.deepEqual(addressesInstead([change('add', { type: 'ALIAS' })], records), alternatives)
  assert.deepEqual(addressesInstead([change('add', { type: 'ANAME' })], records), alternatives)
  // A provider without either is told the addresses themselves; Cloudflare takes a CNAME.
  assert.deepEqual(addressesInstead([change('add', { type: 'A' })], records), [])
  assert.deepEqual(addressesInstead([change('keep', { type: 'ALIAS' })], records), [])
})
