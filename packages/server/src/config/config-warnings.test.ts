import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from './config.ts'
import { configWarnings, warningText } from './config-warnings.ts'

test('a dashboard that is same-site with published sites causes a warning', () => {
  const warningsFor = (dashboard: string, platform: string) =>
    configWarnings(
      readConfig({ MASTHEAD_DASHBOARD_HOST: dashboard, MASTHEAD_PLATFORM_DOMAIN: platform }),
    ).map(warningText)
  for (const [dashboard, platform] of [
    ['app.example.com', 'example.com'],
    ['app.pages.example.com', 'pages.example.com'],
    ['pages.example.com', 'pages.example.com'],
    ['masthead.example.com', 'pages.example.com'],
    ['example.co.uk', 'pages.example.co.uk'],
    ['masthead.acme.internal', 'pages.acme.internal'],
  ] as const) {
    const [warning = '', ...others] = warningsFor(dashboard, platform)
    assert.match(warning, /same-site/, dashboard)
    assert.deepEqual(others, [])
  }
  for (const [dashboard, platform] of [
    ['masthead.example.net', 'pages.example.com'],
    ['other.co.uk', 'example.co.uk'],
    // On the list, in its private section.
    ['masthead.github.io', 'pages.github.io'],
    ['app.pages.dev', 'pages.dev'],
    ['masthead.localhost', 'pages.masthead.localhost'],
  ] as const) {
    assert.deepEqual(warningsFor(dashboard, platform), [], dashboard)
  }
  assert.deepEqual(configWarnings(readConfig({})), [])
})
