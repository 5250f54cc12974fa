import assert from 'node:assert/strict'
import { test } from 'node:test'
import { caaFailure } from '../jobs/failure.ts'
import { type CaaRecord, checkCaa } from './caa.ts'

async function failureOf(record: CaaRecord, at?: string) {
  const answer = at === undefined ? { records: [record] } : { records: [record], at }
  const verdict = await checkCaa('www.acme.com', ['ca.example'], async () => answer)
  return verdict.kind === 'forbidden' ? caaFailure(verdict) : assert.fail(verdict.kind)
}

test('a record that names others is fixed by one that names us', async () => {
  const { message, add } = await failureOf({ critical: false, tag: 'issue', value: 'other.example' })
  assert.equal(
    message,
    'The CAA records of www.acme.com say that only other.example may issue certificates. Nothing was ordered.',
  )
  assert.deepEqual(add, { type: 'CAA', fqdn: 'www.acme.com', value: '0 issue "ca.example"' })
})

test('a critical property must be removed, and no record to add is shown', async () => {
  const { message, add } = await failureOf({ critical: true, tag: 'future', value: 'x' })
  assert.match(message, /To allow it, remove the CAA record 128 future "x" at www\.acme\.com, or clear its/)
  assert.equal(add, undefined)
})

test('behind a CNAME the record is to be added at its target', async () => {
  const { message, add } = await failureOf({ critical: false, tag: 'issue', value: ';' }, 'pages.example')
  assert.match(message, /^The CAA records of pages\.example, which www\.acme\.com points to, say that nobody/)
  assert.equal(add?.fqdn, 'pages.example')
})
