import assert from 'node:assert/strict'
import { test } from 'node:test'
import { removalEffects } from './removal-effects.ts'

const own = 'docs.masthead.localhost'

test('the names that redirect to a removed domain show the site themselves', () => {
  const config = {
    primary: own,
    redirects: [
      { from: 'www.acme.com', to: 'acme.com', status: 301 },
      { from: 'old.acme.com', to: own, status: 301 },
    ],
  } as const
  assert.deepEqual(removalEffects('acme.com', { ...config, redirects: [...config.redirects] }, own), {
    isPrimary: false,
    redirectsTo: null,
    released: ['www.acme.com'],
  })
})

test('without its primary domain the default subdomain no longer redirects', () => {
  const effects = removalEffects(
    'acme.com',
    { primary: 'acme.com', redirects: [{ from: own, to: 'help.acme.com', status: 308 }] },
    own,
  )
  assert.equal(effects.isPrimary, true)
  assert.deepEqual(effects.released, [own])
})

test('a domain that redirects tells where to', () => {
  const config = { primary: own, redirects: [{ from: 'acme.com', to: own, status: 301 as const }] }
  assert.equal(removalEffects('acme.com', config, own).redirectsTo, own)
})
