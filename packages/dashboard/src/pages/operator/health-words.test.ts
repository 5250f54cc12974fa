import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainTotal, domainWords, verdict } from './health-words.ts'

const check = (ok: boolean) => ({ name: 'dns' as const, ok, message: '' })

test('the verdict counts failing checks', () => {
  assert.equal(verdict([check(true), check(true)]), 'Everything is healthy.')
  assert.equal(verdict([check(true), check(false)]), '1 check needs attention.')
  assert.equal(verdict([check(false), check(false)]), '2 checks need attention.')
})

test('domains are counted by state, without empty states', () => {
  const counts = { live: 1_200, pending: 3, failed: 0 }
  assert.equal(domainWords(counts), '3 waiting for DNS, 1,200 live')
  assert.equal(domainTotal(counts), 1_203)
})

test('without domains there is no text', () => {
  assert.equal(domainWords({}), '')
  assert.equal(domainTotal({}), 0)
})
