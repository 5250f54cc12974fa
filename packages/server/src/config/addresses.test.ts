import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAddresses } from './addresses.ts'

const hosts = {
  platformDomain: 'pages.example',
  dashboardHost: 'dash.example',
  httpPort: 8080,
  publicHttpsPort: 8443,
  httpsRedirect: false,
}

test('URLs include the port unless it is the default one', () => {
  const local = createAddresses(hosts)
  assert.equal(local.dashboard, 'http://dash.example:8080')
  assert.equal(local.project('site'), 'http://site.pages.example:8080')
  const preview = local.preview('dpl_06d8f2k4m9q1s7x3b5n0', 'site')
  assert.equal(preview, 'http://06d8f2k4m9q1s7x3b5n0--site.pages.example:8080')
  assert.equal(createAddresses({ ...hosts, httpPort: 80 }).project('site'), 'http://site.pages.example')
})

test('if plain HTTP redirects to HTTPS, people are shown HTTPS', () => {
  const secure = createAddresses({ ...hosts, httpsRedirect: true })
  assert.equal(secure.dashboard, 'https://dash.example:8443')
  assert.equal(secure.host('www.acme.com'), 'https://www.acme.com:8443')
  assert.equal(secure.plain('www.acme.com'), 'http://www.acme.com:8080')
  const usual = createAddresses({ ...hosts, httpsRedirect: true, publicHttpsPort: 443 })
  assert.equal(usual.project('site'), 'https://site.pages.example')
})

test('one wildcard origin per scheme covers all sites', () => {
  assert.deepEqual(createAddresses(hosts).sites, [
    'http://*.pages.example:8080',
    'https://*.pages.example:8443',
  ])
  const usual = createAddresses({ ...hosts, httpPort: 80, publicHttpsPort: 443 })
  assert.deepEqual(usual.sites, ['http://*.pages.example', 'https://*.pages.example'])
})
