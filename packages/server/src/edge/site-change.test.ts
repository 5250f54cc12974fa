import assert from 'node:assert/strict'
import { test } from 'node:test'
import { siteChangeOf } from './site-change.ts'

test('a notice names the project or the host it is about', () => {
  assert.deepEqual(siteChangeOf({ kind: 'project', subject: 'hello' }), { slug: 'hello' })
  assert.deepEqual(siteChangeOf({ kind: 'domain', subject: 'www.acme.com' }), { hostname: 'www.acme.com' })
  assert.deepEqual(siteChangeOf({ kind: 'domain_stopped', subject: 'www.acme.com' }), {
    hostname: 'www.acme.com',
    stopped: true,
  })
})

test('what people of an account look at is nothing to the edge', () => {
  assert.equal(siteChangeOf({ kind: 'account', subject: 'acc_1' }), null)
})

test('lost notices are about everything, and any domain may have been stopped', () => {
  assert.deepEqual(siteChangeOf(null), { stopped: true })
})
