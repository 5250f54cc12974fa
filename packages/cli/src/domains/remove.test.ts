import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pendingDomain } from '../../test/sample-domains.ts'
import { removalWarnings } from './remove.ts'

const own = 'site.masthead.localhost'
const live = { ...pendingDomain('www.acme.com'), state: 'live' } as const

test('before anything else stands how links to a served name can be kept', () => {
  const config = { primary: 'acme.com', redirects: [], covering: null }
  assert.equal(
    removalWarnings(live, config, ' --project site')[0],
    'Links to www.acme.com will stop working. To keep them, redirect it instead: masthead domains redirect www.acme.com acme.com --project site',
  )
})

test('the primary domain can redirect once another is primary', () => {
  const config = {
    primary: 'www.acme.com',
    redirects: [{ from: own, to: 'www.acme.com', status: 301 as const }],
    covering: null,
  }
  const lines = removalWarnings(live, config, '')
  assert.match(lines[0] ?? '', /make another domain the primary one and redirect this one to it\.$/)
  assert.ok(lines.includes('It is the primary domain. The default subdomain will replace it.'))
  assert.ok(lines.includes(`${own} will no longer redirect to it.`))
})

test('links that are redirected already are kept by leaving the name as it is', () => {
  const redirects = [{ from: 'www.acme.com', to: 'acme.com', status: 301 as const }]
  const lines = removalWarnings(live, { primary: own, redirects, covering: null }, '')
  assert.equal(
    lines[0],
    'Links to www.acme.com will no longer lead to acme.com. To keep them working, do not remove it.',
  )
})

test('of a name that is not served no links are to be kept', () => {
  const lines = removalWarnings(
    pendingDomain('www.acme.com'),
    { primary: own, redirects: [], covering: null },
    '',
  )
  assert.deepEqual(lines, ['www.acme.com is not being served. We will stop checking its DNS.'])
})

test('where a wildcard answers for the name, links show what it shows', () => {
  const covering = '*.acme.com'
  const covered = '*.acme.com covers www.acme.com: links to it will show what *.acme.com shows.'
  const plain = { primary: own, redirects: [], covering }
  assert.deepEqual(removalWarnings(live, plain, ''), [covered])
  assert.deepEqual(removalWarnings(pendingDomain('www.acme.com'), plain, ''), [covered])
  const redirects = [{ from: 'www.acme.com', to: 'acme.com', status: 301 as const }]
  assert.deepEqual(removalWarnings(live, { primary: own, redirects, covering }, ''), [
    'Links to www.acme.com will no longer lead to acme.com.',
    covered,
  ])
})
