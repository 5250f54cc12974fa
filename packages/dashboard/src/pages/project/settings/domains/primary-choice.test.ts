import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from './config-change.ts'
import { leadsToPrimary, suggestedPrimary, withOwnLeading } from './primary-choice.ts'

const own = 'acme.masthead.localhost'
const unset: Config = { primary: own, redirects: [{ from: 'acme.com', to: 'www.acme.com', status: 301 }] }
const domains = [
  { hostname: 'acme.com', state: 'live' },
  { hostname: 'soon.acme.com', state: 'pending' },
  { hostname: 'www.acme.com', state: 'live' },
] as const

test('a live domain that shows the site itself is offered until a primary one was chosen', () => {
  assert.equal(suggestedPrimary(unset, own, domains), 'www.acme.com')
  assert.equal(suggestedPrimary(unset, own, domains.slice(0, 2)), null)
  assert.equal(suggestedPrimary({ ...unset, primary: 'acme.com' }, own, domains), null)
})

test('the default subdomain is sent on to the primary domain and back by one switch', () => {
  const chosen = { ...unset, primary: 'www.acme.com' }
  assert.equal(leadsToPrimary(chosen, own), false)
  const leading = withOwnLeading(chosen, own, true)
  assert.deepEqual(leading.redirects.at(-1), { from: own, to: 'www.acme.com', status: 301 })
  assert.equal(leadsToPrimary(leading, own), true)
  assert.deepEqual(withOwnLeading(leading, own, false), chosen)
})

test('a default subdomain that leads elsewhere is led to the primary domain instead', () => {
  const elsewhere = { from: own, to: 'docs.acme.com', status: 302 } as const
  const chosen: Config = { primary: 'www.acme.com', redirects: [elsewhere] }
  assert.equal(leadsToPrimary(chosen, own), false)
  assert.deepEqual(withOwnLeading(chosen, own, true).redirects, [
    { from: own, to: 'www.acme.com', status: 301 },
  ])
})
