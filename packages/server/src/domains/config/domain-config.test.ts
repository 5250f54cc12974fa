import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  configIssues,
  type NamedConfig,
  redirectOf,
  type StoredConfig,
  toNamed,
  toStored,
  touchedNames,
  withoutDomain,
} from './domain-config.ts'

const own = 'site.masthead.localhost'
const attached = new Set(['acme.com', 'www.acme.com', 'old.com', '*.acme.com'])
const project = { attached, defaultSubdomain: own }

function faults(primary: string, ...redirects: [from: string, to: string][]) {
  const config = { primary, redirects: redirects.map(([from, to]) => ({ from, to, status: 301 as const })) }
  return configIssues(config, project).map(({ path, message }) => `${path}: ${message}`)
}

test('any domain of the project can be the primary one, and any other can redirect to it', () => {
  assert.deepEqual(faults(own), [])
  assert.deepEqual(
    faults('acme.com', ['www.acme.com', 'acme.com'], [own, 'acme.com'], ['old.com', 'acme.com']),
    [],
  )
  assert.deepEqual(faults(own, ['old.com', 'www.acme.com'], ['acme.com', own]), [])
})

test('a name that the project does not have is rejected everywhere', () => {
  assert.deepEqual(faults('other.com', ['elsewhere.com', 'nowhere.com']), [
    'domains.primary: other.com is not a domain of this project',
    'domains.redirects.0.from: elsewhere.com is not a domain of this project',
    'domains.redirects.0.to: nowhere.com is not a domain of this project',
  ])
})

test('the primary domain does not redirect', () => {
  assert.deepEqual(faults('acme.com', ['acme.com', 'www.acme.com']), [
    'domains.redirects.0.from: acme.com is the primary domain, which must not redirect',
  ])
})

test('a wildcard redirects, but visitors cannot be sent to it', () => {
  assert.deepEqual(faults('acme.com', ['*.acme.com', 'acme.com'], ['old.com', 'www.acme.com']), [])
  assert.deepEqual(faults('*.acme.com', ['old.com', '*.acme.com']), [
    'domains.primary: *.acme.com is a wildcard; use one name below it',
    'domains.redirects.0.to: *.acme.com is a wildcard; use one name below it',
  ])
})

test('a name has at most one redirect', () => {
  assert.deepEqual(faults(own, ['old.com', own], ['old.com', 'acme.com']), [
    'domains.redirects.1.from: old.com already redirects in an earlier entry',
  ])
})

test('loops and chains are rejected', () => {
  assert.deepEqual(faults(own, ['old.com', 'old.com']), [
    'domains.redirects.0.to: old.com would redirect to itself',
  ])
  assert.deepEqual(faults(own, ['old.com', 'acme.com'], ['acme.com', own]), [
    'domains.redirects.0.to: acme.com redirects elsewhere; use its target instead',
  ])
})

const name = fc.constantFrom(own, ...attached, 'other.com')
const status = fc.constantFrom(301 as const, 302 as const, 307 as const, 308 as const)
const plain = { noNullPrototype: true }
const redirects = fc.array(fc.record({ from: name, to: name, status }, plain), { maxLength: 4 })
const anyConfig: fc.Arbitrary<NamedConfig> = fc.record({ primary: name, redirects }, plain)

test('every redirect of a valid configuration ends after one step', () => {
  let accepted = 0
  const property = fc.property(anyConfig, (named) => {
    if (configIssues(named, project).length > 0) return
    accepted++
    const config = toStored(named, own)
    assert.deepEqual(toNamed(config, own), named)
    assert.equal(redirectOf(config.redirects, config.primary), undefined)
    for (const { to } of config.redirects) assert.equal(redirectOf(config.redirects, to), undefined)
  })
  fc.assert(property, { numRuns: 5_000 })
  assert.ok(accepted > 100)
})

test('a valid configuration stays valid without one of its domains', () => {
  const property = fc.property(anyConfig, fc.constantFrom(...attached), (named, gone) => {
    if (configIssues(named, project).length > 0) return
    const stored = toStored(named, own)
    const left = withoutDomain(stored, gone)
    const remaining = { attached: attached.difference(new Set([gone])), defaultSubdomain: own }
    assert.deepEqual(configIssues(toNamed(left, own), remaining), [])
    const touched = touchedNames(stored, left)
    assert.equal(touched.length, named.redirects.length - left.redirects.length)
    assert.deepEqual(
      touched.filter((name) => redirectOf(left.redirects, name) !== undefined),
      [],
    )
  })
  fc.assert(property, { numRuns: 5_000 })
})

test('without its primary domain, the default subdomain becomes primary and stops redirecting', () => {
  const config: StoredConfig = {
    primary: 'acme.com',
    redirects: [
      { from: null, to: 'www.acme.com', status: 301 },
      { from: 'old.com', to: 'www.acme.com', status: 308 },
    ],
  }
  const left = withoutDomain(config, 'acme.com')
  assert.deepEqual(left, {
    primary: null,
    redirects: [{ from: 'old.com', to: 'www.acme.com', status: 308 }],
  })
  assert.deepEqual(touchedNames(config, left), [null])
})

test('names are touched whose redirect is added, removed, or leads elsewhere or with another status', () => {
  const redirect = (from: string | null, to: string | null, status: 301 | 308 = 301) => ({ from, to, status })
  const before = { primary: null, redirects: [redirect('a.com', null), redirect('b.com', null)] }
  const touched = (...redirects: StoredConfig['redirects']) =>
    touchedNames(before, { primary: 'a.com', redirects })
  assert.deepEqual(touched(...before.redirects.toReversed()), [])
  assert.deepEqual(touched(redirect('a.com', null)), ['b.com'])
  assert.deepEqual(touched(...before.redirects, redirect(null, 'c.com')), [null])
  assert.deepEqual(touched(redirect('a.com', 'c.com'), redirect('b.com', null, 308)), ['a.com', 'b.com'])
})
