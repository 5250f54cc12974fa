import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserName } from './browser-name.ts'

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)'

test('browsers are named as people know them', () => {
  const named = {
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0': 'Firefox on Linux',
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0`]:
      'Edge on Windows',
    [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit} Chrome/140.0.0.0 Safari/537.36`]:
      'Chrome on macOS',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15':
      'Safari on macOS',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1':
      'Safari on iPhone',
    [`Mozilla/5.0 (Linux; Android 15) ${webKit} Chrome/140.0.0.0 Mobile Safari/537.36`]: 'Chrome on Android',
    'curl/8.14.1': 'curl',
    '': 'Unknown browser',
    'Mozilla/5.0': 'Unknown browser',
    '<script>alert(1)</script>': 'Unknown browser',
  }
  for (const [userAgent, name] of Object.entries(named)) assert.equal(browserName(userAgent), name)
  assert.equal(browserName(undefined), 'Unknown browser')
  assert.ok(browserName('a'.repeat(100_000)).length <= 40)
})
