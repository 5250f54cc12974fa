import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endedWords } from './ended-words.ts'

const key = { id: 'key_1', name: 'ci' } as const
const publisher = { id: 'pub_1', name: 'GitHub Actions (acme/website)' } as const
const webhook = { id: 'whk_1', host: 'example.com' } as const

test('only what ended is named, each with its number', () => {
  const nothing = { revokedKeys: [], removedPublishers: [], removedWebhooks: [] }
  assert.equal(endedWords(nothing), '')
  assert.equal(
    endedWords({ ...nothing, revokedKeys: [key, key], removedPublishers: [publisher] }),
    ', and 2 API keys were revoked, 1 trusted pipeline was removed',
  )
  assert.equal(endedWords({ ...nothing, removedWebhooks: [webhook] }), ', and 1 webhook was removed')
})
