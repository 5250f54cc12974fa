import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseTarget, TargetError, targetRules } from './target.ts'

const laptop = targetRules('masthead.localhost')
const internet = targetRules('masthead.example')

const never = [
  '',
  'acme.com/hook',
  'ftp://acme.com/hook',
  'file:///etc/passwd',
  'https://user:password@acme.com/hook',
  'https://acme.com/hook#part',
  'https://10.0.0.1/',
  'https://192.168.1.1/',
  'https://169.254.169.254/latest/meta-data',
  'https://0xa9fea9fe/',
  'https://[fd00::1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[64:ff9b::a00:1]/',
  'https://0.0.0.0/',
  `https://acme.com/${'x'.repeat(2_000)}`,
]

const onlyOnLaptops = [
  'http://acme.com/hook',
  'http://localhost:3000/hook',
  'https://LOCALHOST./hook',
  'http://hooks.app.localhost:3000/',
  'http://127.0.0.1:3000/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f.0.0.1/',
  'http://[::1]:3000/',
]

describe('the address of a webhook', () => {
  for (const url of never) {
    test(`is never ${url.slice(0, 60)}`, () => {
      assert.throws(() => parseTarget(url, internet), TargetError)
      assert.throws(() => parseTarget(url, laptop), TargetError)
    })
  }
  for (const url of onlyOnLaptops) {
    test(`is ${url} only where the platform is under .localhost`, () => {
      assert.throws(() => parseTarget(url, internet), TargetError)
      parseTarget(url, laptop)
    })
  }
  for (const url of [
    'https://acme.com/hook?a=b',
    'https://acme.com:8443/',
    'https://1.1.1.1/',
    'HTTPS://ACME.com',
  ]) {
    test(`may be ${url} everywhere`, () => {
      parseTarget(url, internet)
      parseTarget(url, laptop)
    })
  }
})

test('a name that only looks like the platform of a laptop is none', () => {
  for (const name of ['masthead.notlocalhost', 'localhost.example']) {
    assert.equal(targetRules(name).allowsLoopback, false)
  }
})
