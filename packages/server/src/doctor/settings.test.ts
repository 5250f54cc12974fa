import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../config/config.ts'
import { configWarnings } from '../config/config-warnings.ts'
import { judgeEdgeAddresses, judgeProxies, judgeSettings } from './settings.ts'

const letsEncrypt = 'https://acme-v02.api.letsencrypt.org/directory'

function settings(env: Record<string, string>, directoryUrl: string | null = null) {
  const config = readConfig(env)
  const directoryUrls = directoryUrl === null ? [] : [directoryUrl]
  return judgeSettings(config, { warnings: configWarnings(config), directoryUrls })
}

test('the settings of a laptop and of a usual server do not contradict each other', () => {
  const server = {
    MASTHEAD_PLATFORM_DOMAIN: 'pages.example.com',
    MASTHEAD_DASHBOARD_HOST: 'masthead.example.net',
    MASTHEAD_HOST: '0.0.0.0',
    MASTHEAD_CA: 'letsencrypt',
    MASTHEAD_EDGE_ADDRESSES: '8.8.8.8',
  }
  for (const found of [settings({}), settings(server, letsEncrypt)])
    assert.deepEqual(
      found.map(({ status }) => status),
      ['ok'],
    )
})

test('settings that contradict each other are named, each with its fix', () => {
  const messages = (env: Record<string, string>, directoryUrl: string | null = null) =>
    settings(env, directoryUrl).map(({ status, message, fix }) => `${status}: ${message} ${fix}`)
  assert.match(
    messages({ MASTHEAD_CA: 'letsencrypt' }, letsEncrypt)[0] ?? '',
    /^problem: MASTHEAD_CA letsencrypt issues no certificates for masthead\.localhost.*Set MASTHEAD_PLATFORM_DOMAIN/,
  )
  assert.match(
    messages({ MASTHEAD_EDGE_ADDRESSES: '8.8.8.8' })[0] ?? '',
    /^warning: MASTHEAD_HOST 127\.0\.0\.1.*0\.0\.0\.0/,
  )
  assert.match(
    messages({ MASTHEAD_PLATFORM_DOMAIN: 'pages.example.com', MASTHEAD_HTTPS_REDIRECT: 'on' })[0] ?? '',
    /^warning: MASTHEAD_HTTPS_REDIRECT/,
  )
  const [sameSite] = settings({
    MASTHEAD_PLATFORM_DOMAIN: 'pages.example.com',
    MASTHEAD_DASHBOARD_HOST: 'masthead.example.com',
  })
  assert.equal(sameSite?.fix, 'Use a host that is not below example.com.')
  assert.match(
    messages({ MASTHEAD_ROLES: 'api', MASTHEAD_WORKERS: '2' })[0] ?? '',
    /^warning: MASTHEAD_WORKERS/,
  )
})

test('edge addresses are public and of this machine, or somebody should look', () => {
  const judge = (edgeAddresses: string[], here: string[], platformDomain = 'pages.example.com') =>
    judgeEdgeAddresses({ edgeAddresses, platformDomain }, here).map(({ status }) => status)
  assert.deepEqual(judge(['8.8.8.8'], ['8.8.8.8']), ['ok'])
  assert.deepEqual(judge(['8.8.8.8', '2606:4700::1'], ['8.8.8.8']), ['warning'])
  assert.deepEqual(judge(['10.0.0.1'], ['10.0.0.1']), ['warning'])
  assert.deepEqual(judge(['127.0.0.1'], ['127.0.0.1'], 'masthead.localhost'), ['ok'])
})

test('nobody is trusted whom nobody chose', () => {
  const judge = (...ranges: string[]) => judgeProxies(ranges, null).map(({ status }) => status)
  assert.deepEqual(judge(), ['ok'])
  assert.deepEqual(judge('10.0.0.0/8', '192.0.2.7', 'fd00::/16', '::1'), ['ok'])
  assert.deepEqual(judge('0.0.0.0/0'), ['problem'])
  assert.deepEqual(judge('::/0'), ['problem'])
  assert.deepEqual(judge('10.0.0.0/7'), ['warning'])
  assert.deepEqual(judge('2000::/3', '0.0.0.0/0'), ['problem', 'warning'])
})

test('a proxy that is not trusted is noticed, a client that pretends now and then is not', () => {
  const judge = (total: number, untrusted: number) =>
    judgeProxies([], { total, untrusted, lastAddress: '10.1.2.3' })
  assert.match(
    judge(100, 100)[0]?.fix ?? '',
    /If 10\.1\.2\.3 is your proxy, add it to MASTHEAD_TRUSTED_PROXIES/,
  )
  for (const [total, untrusted] of [
    [0, 0],
    [10, 10],
    [1_000, 400],
  ] as const)
    assert.deepEqual(
      judge(total, untrusted).map(({ status }) => status),
      ['ok'],
    )
})
