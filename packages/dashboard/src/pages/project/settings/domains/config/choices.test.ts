import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProblemError } from '@masthead/client/errors.ts'
import {
  errorForRedirect,
  fromChoices,
  redirectsToPrimary,
  suggestedPrimary,
  toChoices,
  withDefaultRedirect,
} from './choices.ts'
import type { DomainsConfig } from './config.ts'

const own = 'acme.masthead.localhost'
const unset: DomainsConfig = {
  primary: own,
  redirects: [{ from: 'acme.com', to: 'www.acme.com', status: 301 }],
}
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
  assert.equal(redirectsToPrimary(chosen, own), false)
  const leading = withDefaultRedirect(chosen, own, true)
  assert.deepEqual(leading.redirects.at(-1), { from: own, to: 'www.acme.com', status: 301 })
  assert.equal(redirectsToPrimary(leading, own), true)
  assert.deepEqual(withDefaultRedirect(leading, own, false), chosen)
})

test('a default subdomain that leads elsewhere is led to the primary domain instead', () => {
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

test('a new redirect starts at a name that shows the site and that none leads to', () => {
  assert.deepEqual(fromChoices(config, names, null), [
    { name: 'acme.com', not: 'the primary domain' },
    { name: 'blog.acme.com', not: 'others redirect to it' },
    { name: 'old.acme.com', not: 'redirects already' },
    { name: 'www.acme.com', not: 'redirects already' },
    { name: docsOwn, not: null },
  ])
})

test('an edited redirect may keep its name, and what only it led to is free', () => {
  const free = fromChoices(config, names, 'old.acme.com').filter(({ not }) => not === null)
  assert.deepEqual(
    free.map(({ name }) => name),
    ['blog.acme.com', 'old.acme.com', docsOwn],
  )
})

test('a redirect ends at another name that does not redirect', () => {
  assert.deepEqual(toChoices(config, names, 'old.acme.com', 'old.acme.com'), [
    { name: 'acme.com', not: null },
    { name: 'blog.acme.com', not: null },
    { name: 'old.acme.com', not: 'the same name' },
    { name: 'www.acme.com', not: 'redirects itself' },
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

test('a refusal of the edited redirect stays beside its fields', () => {
  const error = refused({ path: 'domains.redirects.1.to', message: 'acme.com would redirect to itself' })
  assert.equal(errorForRedirect(error, 1), error)
})

test('a refusal because of another redirect is told as a sentence', () => {
  const error = refused({
    path: 'domains.redirects.0.to',
    message: 'acme.com redirects itself; name the domain where it ends',
  })
  const told = errorForRedirect(error, 1)
  assert.ok(told instanceof Error && !(told instanceof ProblemError))
  assert.equal(told.message, 'acme.com redirects itself; name the domain where it ends.')
})

test('any other failure is left as it is', () => {
  const error = new Error('no connection')
  assert.equal(errorForRedirect(error, 0), error)
})
