import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProblemError } from '@masthead/client/errors.ts'
import {
  errorForRedirect,
  fromChoices,
  primaryChoices,
  redirectsToPrimary,
  suggestedPrimary,
  toChoices,
  withDefaultRedirect,
  withoutDefaultRedirect,
} from './choices.ts'
import type { DomainsConfig } from './config.ts'

const own = 'acme.masthead.localhost'
const unset: DomainsConfig = {
  primary: own,
  redirects: [{ from: 'acme.com', to: 'www.acme.com', status: 301 }],
}
const domains = [
  { hostname: 'acme.com', state: 'live', branch: null },
  { hostname: 'soon.acme.com', state: 'pending', branch: null },
  { hostname: 'staging.acme.com', state: 'live', branch: 'staging' },
  { hostname: 'www.acme.com', state: 'live', branch: null },
] as const

test('a live domain without a redirect or a branch is suggested until a primary domain is chosen', () => {
  assert.equal(suggestedPrimary(unset, own, domains), 'www.acme.com')
  assert.equal(suggestedPrimary(unset, own, domains.slice(0, 3)), null)
  assert.equal(suggestedPrimary({ ...unset, primary: 'acme.com' }, own, domains), null)
})

test('a domain that shows a branch can become primary, and the choice says so', () => {
  const all = ['*.acme.com', 'acme.com', 'staging.acme.com', own]
  const branchOf = (name: string) => (name === 'staging.acme.com' ? 'staging' : null)
  const shown = (name: string) => name
  assert.deepEqual(primaryChoices(unset, { all, branchOf, shown }), [
    { name: '*.acme.com', not: 'a wildcard' },
    { name: 'acme.com', not: 'redirects to www.acme.com' },
    { name: 'staging.acme.com', not: null, note: 'shows staging' },
    { name: own, not: null },
  ])
  const without = (config: DomainsConfig, branch: string | null) =>
    withoutDefaultRedirect(config, own, branch, shown)
  const chosen: DomainsConfig = { primary: 'www.acme.com', redirects: [] }
  assert.equal(without(chosen, null), 'Otherwise both show the site.')
  assert.equal(
    without(chosen, 'staging'),
    'Otherwise it shows what is live, while www.acme.com shows the branch staging.',
  )
  const elsewhere: DomainsConfig = { ...chosen, redirects: [{ from: own, to: 'acme.com', status: 302 }] }
  assert.equal(without(elsewhere, null), 'Now it redirects to acme.com.')
})

test('one switch adds and removes the redirect from the default subdomain', () => {
  const chosen = { ...unset, primary: 'www.acme.com' }
  assert.equal(redirectsToPrimary(chosen, own), false)
  const redirecting = withDefaultRedirect(chosen, own, true)
  assert.deepEqual(redirecting.redirects.at(-1), { from: own, to: 'www.acme.com', status: 301 })
  assert.equal(redirectsToPrimary(redirecting, own), true)
  assert.deepEqual(withDefaultRedirect(redirecting, own, false), chosen)
})

test('a default subdomain that redirects elsewhere redirects to the primary domain instead', () => {
  const elsewhere = { from: own, to: 'docs.acme.com', status: 302 } as const
  const chosen: DomainsConfig = { primary: 'www.acme.com', redirects: [elsewhere] }
  assert.equal(redirectsToPrimary(chosen, own), false)
  assert.deepEqual(withDefaultRedirect(chosen, own, true).redirects, [
    { from: own, to: 'www.acme.com', status: 301 },
  ])
})

const docsOwn = 'docs.masthead.localhost'
const names = ['acme.com', 'blog.acme.com', 'old.acme.com', 'www.acme.com', docsOwn]
const config: DomainsConfig = {
  primary: 'acme.com',
  redirects: [
    { from: 'www.acme.com', to: 'acme.com', status: 301 },
    { from: 'old.acme.com', to: 'blog.acme.com', status: 301 },
  ],
}

test('a new redirect starts at a domain that neither redirects nor is a target', () => {
  assert.deepEqual(fromChoices(config, names, null), [
    { name: 'acme.com', not: 'the primary domain' },
    { name: 'blog.acme.com', not: 'others redirect to it' },
    { name: 'old.acme.com', not: 'already redirects' },
    { name: 'www.acme.com', not: 'already redirects' },
    { name: docsOwn, not: null },
  ])
})

test('an edited redirect may keep its source, and its former target is free', () => {
  const free = fromChoices(config, names, 'old.acme.com').filter(({ not }) => not === null)
  assert.deepEqual(
    free.map(({ name }) => name),
    ['blog.acme.com', 'old.acme.com', docsOwn],
  )
})

test('a redirect ends at another domain that does not redirect', () => {
  assert.deepEqual(toChoices(config, names, 'old.acme.com', 'old.acme.com'), [
    { name: 'acme.com', not: null },
    { name: 'blog.acme.com', not: null },
    { name: 'old.acme.com', not: 'the same domain' },
    { name: 'www.acme.com', not: 'already redirects' },
    { name: docsOwn, not: null },
  ])
})

function refused(...errors: { path: string; message: string }[]) {
  const code = 'domain_config_invalid'
  return new ProblemError({
    type: code,
    title: code,
    status: 422,
    detail: '',
    code,
    requestId: 'req_1',
    errors,
  })
}

test('an error about the edited redirect stays with its fields', () => {
  const error = refused({ path: 'domains.redirects.1.to', message: 'acme.com would redirect to itself' })
  assert.equal(errorForRedirect(error, 1), error)
})

test('an error about another redirect becomes a message', () => {
  const error = refused({
    path: 'domains.redirects.0.to',
    message: 'acme.com redirects itself; name the domain where it ends',
  })
  const result = errorForRedirect(error, 1)
  assert.ok(result instanceof Error && !(result instanceof ProblemError))
  assert.equal(result.message, 'acme.com redirects itself; name the domain where it ends.')
})

test('any other error is unchanged', () => {
  const error = new Error('no connection')
  assert.equal(errorForRedirect(error, 0), error)
})
