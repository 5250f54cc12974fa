import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainTotal, domainWords, verdict } from './health-words.ts'

const check = (ok: boolean) => ({ name: 'dns' as const, ok, message: '' })

test('the verdict counts what needs a look', () => {
  assert.equal(verdict([check(true), check(true)]), 'Every part of the server does its work.')
  assert.equal(verdict([check(true), check(false)]), 'One part of the server needs a look.')
  assert.equal(verdict([check(false), check(false)]), '2 parts of the server need a look.')
})

test('domains are told by the states that there are', () => {
  const counts = { live: 1_200, pending: 3, failed: 0 }
  assert.equal(domainWords(counts), '3 waiting for DNS, 1,200 live')
  assert.equal(domainTotal(counts), 1_203)
})

test('without domains nothing is told of their states', () => {
  assert.equal(domainWords({}), '')
  assert.equal(domainTotal({}), 0)
})
