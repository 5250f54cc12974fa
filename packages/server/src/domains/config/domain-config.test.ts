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
  withoutDomain,
} from './domain-config.ts'

const own = 'site.masthead.localhost'
const attached = new Set(['acme.com', 'www.acme.com', 'old.com'])
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

test('a name that the project does not have is refused wherever it stands', () => {
  assert.deepEqual(faults('other.com', ['elsewhere.com', 'nowhere.com']), [
    'domains.primary: other.com is not a domain of this project',
    'domains.redirects.0.from: elsewhere.com is not a domain of this project',
    'domains.redirects.0.to: nowhere.com is not a domain of this project',
  ])
})

test('the primary domain does not redirect', () => {
  assert.deepEqual(faults('acme.com', ['acme.com', 'www.acme.com']), [
    'domains.redirects.0.from: acme.com is the primary domain, which does not redirect',
  ])
})

test('a name redirects once', () => {
  assert.deepEqual(faults(own, ['old.com', own], ['old.com', 'acme.com']), [
    'domains.redirects.1.from: old.com redirects in an earlier entry already',
  ])
})

test('loops and chains are refused where they lead on', () => {
  assert.deepEqual(faults(own, ['old.com', 'old.com']), [
    'domains.redirects.0.to: old.com would redirect to itself',
  ])
  assert.deepEqual(faults(own, ['old.com', 'acme.com'], ['acme.com', own]), [
    'domains.redirects.0.to: acme.com redirects itself; name the domain where it ends',
  ])
})

const name = fc.constantFrom(own, ...attached, 'other.com')
const status = fc.constantFrom(301 as const, 302 as const, 307 as const, 308 as const)
const plain = { noNullPrototype: true }
const redirects = fc.array(fc.record({ from: name, to: name, status }, plain), { maxLength: 4 })
const anyConfig: fc.Arbitrary<NamedConfig> = fc.record({ primary: name, redirects }, plain)

test('from every name of an accepted configuration one step leads to a name that stays', () => {
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

test('what is left of an accepted configuration without one of its domains would be accepted too', () => {
  const property = fc.property(anyConfig, fc.constantFrom(...attached), (named, gone) => {
    if (configIssues(named, project).length > 0) return
    const left = withoutDomain(toStored(named, own), gone)
    const remaining = { attached: attached.difference(new Set([gone])), defaultSubdomain: own }
    assert.deepEqual(configIssues(toNamed(left.config, own), remaining), [])
    const lost = named.redirects.filter(({ from }) => from !== gone).length - left.config.redirects.length
    assert.equal(left.dropped.length, lost)
  })
  fc.assert(property, { numRuns: 5_000 })
})

test('where the primary domain goes, the default subdomain takes its place and stops redirecting', () => {
  const config: StoredConfig = {
    primary: 'acme.com',
    redirects: [
      { from: null, to: 'www.acme.com', status: 301 },
      { from: 'old.com', to: 'www.acme.com', status: 308 },
    ],
  }
  assert.deepEqual(withoutDomain(config, 'acme.com'), {
    config: { primary: null, redirects: [{ from: 'old.com', to: 'www.acme.com', status: 308 }] },
    dropped: [{ from: null, to: 'www.acme.com', status: 301 }],
  })
})
