import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from './config-change.ts'
import { fromChoices, toChoices } from './redirect-choices.ts'

const own = 'docs.masthead.localhost'
const names = ['acme.com', 'blog.acme.com', 'old.acme.com', 'www.acme.com', own]
const config: Config = {
  primary: 'acme.com',
  redirects: [
    { from: 'www.acme.com', to: 'acme.com', status: 301 },
    { from: 'old.acme.com', to: 'blog.acme.com', status: 301 },
  ],
}

test('a new redirect starts at a name that shows the site and that none leads to', () => {
  assert.deepEqual(fromChoices(config, names, null), [
    { name: 'acme.com', not: 'the primary domain' },
    { name: 'blog.acme.com', not: 'others redirect to it' },
    { name: 'old.acme.com', not: 'redirects already' },
    { name: 'www.acme.com', not: 'redirects already' },
    { name: own, not: null },
  ])
})

test('an edited redirect may keep its name, and what only it led to is free', () => {
  const free = fromChoices(config, names, 'old.acme.com').filter(({ not }) => not === null)
  assert.deepEqual(
    free.map(({ name }) => name),
    ['blog.acme.com', 'old.acme.com', own],
  )
})

test('a redirect ends at another name that does not redirect', () => {
  assert.deepEqual(toChoices(config, names, 'old.acme.com', 'old.acme.com'), [
    { name: 'acme.com', not: null },
    { name: 'blog.acme.com', not: null },
    { name: 'old.acme.com', not: 'the same name' },
    { name: 'www.acme.com', not: 'redirects itself' },
    { name: own, not: null },
  ])
})
