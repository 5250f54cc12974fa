import assert from 'node:assert/strict'
import { test } from 'node:test'
import { certificateChangeOf, siteChangeOf } from './site-change.ts'

test('a notice names the project or the host it is about', () => {
  assert.deepEqual(siteChangeOf({ kind: 'project', subject: 'hello' }), { slug: 'hello' })
  assert.deepEqual(siteChangeOf({ kind: 'domain', subject: 'www.acme.com' }), { hostname: 'www.acme.com' })
  assert.deepEqual(siteChangeOf({ kind: 'domain_stopped', subject: 'www.acme.com' }), {
    hostname: 'www.acme.com',
    stopped: true,
  })
})

test('a certificate change concerns only certificates', () => {
  for (const kind of ['certificate', 'certificate_due'] as const) {
    const change = { kind, subject: 'www.acme.com' }
    assert.equal(siteChangeOf(change), null)
    assert.deepEqual(certificateChangeOf(change), { hostname: 'www.acme.com' })
  }
  const stopped = { kind: 'domain_stopped', subject: 'www.acme.com' } as const
  assert.deepEqual(certificateChangeOf(stopped), siteChangeOf(stopped))
  assert.equal(certificateChangeOf({ kind: 'account', subject: 'acc_1' }), null)
})

test('account changes do not concern the edge', () => {
  assert.equal(siteChangeOf({ kind: 'account', subject: 'acc_1' }), null)
})

test('lost notices concern everything, and any domain may have been stopped', () => {
  assert.deepEqual(siteChangeOf(null), { stopped: true })
})
