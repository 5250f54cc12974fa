import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@masthead/client/client.ts'
import {
  ConfigConflictError,
  configDifference,
  type DomainsConfig,
  removalEffects,
  replaceConfig,
  sameConfig,
  withoutRedirect,
  withPrimary,
  withRedirect,
} from './config.ts'

const config: DomainsConfig = {
  primary: 'acme.com',
  redirects: [
    { from: 'www.acme.com', to: 'acme.com', status: 301 },
    { from: 'old.acme.com', to: 'acme.com', status: 302 },
  ],
}

test('each change becomes a sentence', () => {
  const changed = withRedirect(
    config,
    { from: 'old.acme.com', to: 'docs.acme.com', status: 302 },
    'old.acme.com',
  )
  assert.deepEqual(configDifference(config, withPrimary(config, 'docs.acme.com')), [
    'The primary domain is now docs.acme.com.',
  ])
  assert.deepEqual(configDifference(config, withoutRedirect(config, 'www.acme.com')), [
    'www.acme.com no longer redirects.',
  ])
  assert.deepEqual(configDifference(config, changed), ['old.acme.com now redirects to docs.acme.com.'])
})

test('a change of only the status has its own sentence', () => {
  const changed = withRedirect(config, { from: 'www.acme.com', to: 'acme.com', status: 308 }, 'www.acme.com')
  assert.deepEqual(configDifference(config, changed), ['www.acme.com now redirects with status 308.'])
})

test('hostnames are formatted', () => {
  const changed = withPrimary(config, 'xn--bcher-kva.example')
  const shown = (name: string) => name.replace('xn--bcher-kva', 'bücher')
  assert.deepEqual(configDifference(config, changed, shown), ['The primary domain is now bücher.example.'])
})

test('the order of redirects does not matter', () => {
  assert.equal(sameConfig(config, { ...config, redirects: config.redirects.toReversed() }), true)
  assert.equal(sameConfig(config, withoutRedirect(config, 'old.acme.com')), false)
})

test('an edited redirect keeps its position, even if its source changed', () => {
  const changed = withRedirect(config, { from: 'blog.acme.com', to: 'acme.com', status: 301 }, 'www.acme.com')
  assert.deepEqual(
    changed.redirects.map(({ from }) => from),
    ['blog.acme.com', 'old.acme.com'],
  )
})

test('an edited redirect that was removed meanwhile is added', () => {
  const redirect = { from: 'www.acme.com', to: 'acme.com', status: 308 } as const
  const changed = withRedirect(withoutRedirect(config, 'www.acme.com'), redirect, 'www.acme.com')
  assert.deepEqual(changed.redirects.at(-1), redirect)
})

const params = { project: 'site' }
const to = (primary: string): DomainsConfig => ({ primary, redirects: [] })

const changed = { code: 'domain_config_changed', title: 'Changed', detail: 'No.', requestId: 'req_1' }

/** An API with one configuration. `atPut` runs just before our PUT arrives. */
function holding(config: DomainsConfig, atPut?: (api: { config: DomainsConfig }) => void) {
  const api = { config }
  const tag = () => `"${api.config.primary}"`
  const answer = (status: number, value: object) =>
    new Response(JSON.stringify(value), { status, headers: { etag: tag() } })
  const client = createClient({
    server: 'http://api.example',
    fetch: async (_url, init) => {
      const isPut = init?.method === 'PUT'
      if (isPut) atPut?.(api)
      const ifMatch = new Headers(init?.headers).get('if-match')
      if (isPut && ifMatch !== tag()) return answer(412, changed)
      if (isPut) api.config = JSON.parse(String(init?.body)).domains
      return answer(200, { domains: api.config })
    },
  })
  return { api, client }
}

test('an unchanged configuration is replaced', async () => {
  const { api, client } = holding(to('a.com'))
  const saved = await replaceConfig(client, params, { seen: to('a.com'), next: to('b.com') })
  assert.deepEqual([saved.domains, api.config], [to('b.com'), to('b.com')])
})

test('a change by someone else, before or at the same time, is kept and returned', async () => {
  const earlier = holding(to('theirs.com'))
  const atOnce = holding(to('a.com'), (api) => {
    api.config = to('theirs.com')
  })
  for (const { api, client } of [earlier, atOnce]) {
    await assert.rejects(replaceConfig(client, params, { seen: to('a.com'), next: to('b.com') }), (error) => {
      assert.ok(error instanceof ConfigConflictError)
      assert.deepEqual(error.current.domains, to('theirs.com'))
      return true
    })
    assert.deepEqual(api.config, to('theirs.com'))
  }
})

const own = 'docs.masthead.localhost'

test('domains that redirect to a removed domain show the site themselves', () => {
  const config = {
    primary: own,
    redirects: [
      { from: 'www.acme.com', to: 'acme.com', status: 301 },
      { from: 'old.acme.com', to: own, status: 301 },
    ],
  } as const
  assert.deepEqual(removalEffects('acme.com', { ...config, redirects: [...config.redirects] }, own), {
    isPrimary: false,
    redirectsTo: null,
    released: ['www.acme.com'],
  })
})

test('without its primary domain the default subdomain no longer redirects', () => {
  const effects = removalEffects(
    'acme.com',
    { primary: 'acme.com', redirects: [{ from: own, to: 'help.acme.com', status: 308 }] },
    own,
  )
  assert.equal(effects.isPrimary, true)
  assert.deepEqual(effects.released, [own])
})

test('removing a domain that redirects reports its target', () => {
  const config = { primary: own, redirects: [{ from: 'acme.com', to: own, status: 301 as const }] }
  assert.equal(removalEffects('acme.com', config, own).redirectsTo, own)
})
