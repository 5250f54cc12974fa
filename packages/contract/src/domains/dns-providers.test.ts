import assert from 'node:assert/strict'
import { test } from 'node:test'
import { providerGuides } from './dns-providers.ts'

const names = (provider: string | null) => providerGuides(provider).map(({ name }) => name)

test('a provider has its guide, and two providers have two', () => {
  assert.deepEqual(names('Cloudflare'), ['Cloudflare'])
  assert.deepEqual(names('Cloudflare and NS1 or Netlify'), ['Cloudflare', 'NS1 or Netlify'])
})

test('an unknown provider has no guide, whatever its name', () => {
  assert.deepEqual(names(null), [])
  assert.deepEqual(names('Acme DNS'), [])
  assert.deepEqual(names('constructor'), [])
  assert.deepEqual(names('Gandi and __proto__'), ['Gandi'])
})
