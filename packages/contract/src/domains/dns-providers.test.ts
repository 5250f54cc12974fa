import assert from 'node:assert/strict'
import { test } from 'node:test'
import { providerGuides } from './dns-providers.ts'

const names = (provider: string | null) => providerGuides(provider).map(({ name }) => name)

test('the provider of a check leads to its guide, and several lead to several', () => {
  assert.deepEqual(names('Cloudflare'), ['Cloudflare'])
  assert.deepEqual(names('Cloudflare and NS1 or Netlify'), ['Cloudflare', 'NS1 or Netlify'])
})

test('a provider that nobody wrote about has no guide, whatever it is called', () => {
  assert.deepEqual(names(null), [])
  assert.deepEqual(names('Acme DNS'), [])
  assert.deepEqual(names('constructor'), [])
  assert.deepEqual(names('Gandi and __proto__'), ['Gandi'])
})
