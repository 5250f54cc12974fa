import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAddresses } from './addresses.ts'

const hosts = { platformDomain: 'pages.example', dashboardHost: 'dash.example' }

test('addresses name the port, but for the one that browsers take by themselves', () => {
  const local = createAddresses({ ...hosts, httpPort: 8080 })
  assert.equal(local.dashboard, 'http://dash.example:8080')
  assert.equal(local.project('site'), 'http://site.pages.example:8080')
  const preview = local.preview('dpl_06d8f2k4m9q1s7x3b5n0', 'site')
  assert.equal(preview, 'http://06d8f2k4m9q1s7x3b5n0--site.pages.example:8080')
  assert.equal(createAddresses({ ...hosts, httpPort: 80 }).project('site'), 'http://site.pages.example')
})
