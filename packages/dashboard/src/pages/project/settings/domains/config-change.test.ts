import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Config,
  configDifference,
  sameConfig,
  withoutRedirect,
  withPrimary,
  withRedirect,
} from './config-change.ts'

const config: Config = {
  primary: 'acme.com',
  redirects: [
    { from: 'www.acme.com', to: 'acme.com', status: 301 },
    { from: 'old.acme.com', to: 'acme.com', status: 302 },
  ],
}

test('each change is told in a sentence', () => {
  const changed = withRedirect(
    config,
    { from: 'old.acme.com', to: 'docs.acme.com', status: 302 },
    'old.acme.com',
  )
  assert.deepEqual(configDifference(config, withPrimary(config, 'docs.acme.com')), [
    'The primary domain is docs.acme.com now.',
  ])
  assert.deepEqual(configDifference(config, withoutRedirect(config, 'www.acme.com')), [
    'www.acme.com no longer redirects.',
  ])
  assert.deepEqual(configDifference(config, changed), ['old.acme.com redirects to docs.acme.com now.'])
})

test('a change of the status alone is told as that', () => {
  const changed = withRedirect(config, { from: 'www.acme.com', to: 'acme.com', status: 308 }, 'www.acme.com')
  assert.deepEqual(configDifference(config, changed), ['www.acme.com redirects with status 308 now.'])
})

test('names are told as people read them', () => {
  const changed = withPrimary(config, 'xn--bcher-kva.example')
  const shown = (name: string) => name.replace('xn--bcher-kva', 'bücher')
  assert.deepEqual(configDifference(config, changed, shown), ['The primary domain is bücher.example now.'])
})

test('the order of redirects makes no difference', () => {
  assert.equal(sameConfig(config, { ...config, redirects: config.redirects.toReversed() }), true)
  assert.equal(sameConfig(config, withoutRedirect(config, 'old.acme.com')), false)
})

test('an edited redirect keeps its place, even where its name changed', () => {
  const changed = withRedirect(config, { from: 'blog.acme.com', to: 'acme.com', status: 301 }, 'www.acme.com')
  assert.deepEqual(
    changed.redirects.map(({ from }) => from),
    ['blog.acme.com', 'old.acme.com'],
  )
})

test('an edited redirect that somebody removed meanwhile is added', () => {
  const redirect = { from: 'www.acme.com', to: 'acme.com', status: 308 } as const
  const changed = withRedirect(withoutRedirect(config, 'www.acme.com'), redirect, 'www.acme.com')
  assert.deepEqual(changed.redirects.at(-1), redirect)
})
