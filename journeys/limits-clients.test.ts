import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { createClient } from '@masthead/client/client.ts'
import { plans } from '@masthead/contract/plans.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { requirePeer, skipWithout } from '@masthead/testing/peers/peers.ts'
import { Octokit } from '@octokit/core'
import { throttling } from '@octokit/plugin-throttling'
import axios from 'axios'
import axiosRetry from 'axios-retry'
import got from 'got'
import ky from 'ky'
import pRetry from 'p-retry'
import { createAccount, operatorClient } from './tenant.ts'

/** One call of a program that knows nothing about Masthead. Returns the reset in the response. */
type Call = (url: string, headers: { authorization: string }) => Promise<unknown>

const concurrentCalls = 10
const resetHeader = 'x-ratelimit-reset'

/** Each as its documentation starts out, without any options about waiting. */
const clients: Record<string, Call> = {
  ky: async (url, headers) => (await ky(url, { headers })).headers.get(resetHeader),
  got: async (url, headers) => (await got(url, { headers })).headers[resetHeader],
  'axios with axios-retry': async (url, headers) => {
    const client = axios.create()
    axiosRetry(client)
    return (await client.get(url, { headers })).headers[resetHeader]
  },
  'p-retry around fetch': (url, headers) =>
    pRetry(async () => {
      const response = await fetch(url, { headers })
      if (!response.ok) throw new Error(response.statusText)
      return response.headers.get(resetHeader)
    }),
  'octokit with its throttling plugin': async (url, headers) => {
    const octokit = new Throttled({
      throttle: { onRateLimit: onceMore, onSecondaryRateLimit: onceMore },
    })
    return (await octokit.request(`GET ${url}`, { headers })).headers[resetHeader]
  },
  'curl --retry': async (url, { authorization }) => {
    const output = ['--output', '/dev/null', '--write-out', `%header{${resetHeader}}`]
    const args = [
      '--silent',
      '--fail',
      '--retry',
      '3',
      '--header',
      `Authorization: ${authorization}`,
      ...output,
      url,
    ]
    return (await promisify(execFile)(requirePeer('curl'), args)).stdout
  },
  "Masthead's own": async (url, { authorization }) => {
    let reset: string | null = null
    const recordingFetch: typeof fetch = async (...request) => {
      const response = await fetch(...request)
      reset = response.headers.get(resetHeader)
      return response
    }
    const { origin } = new URL(url)
    await createClient({
      server: origin,
      key: authorization.slice('Bearer '.length),
      fetch: recordingFetch,
    }).getWhoami()
    return reset
  },
}

const Throttled = Octokit.plugin(throttling)
/** The plugin has no default for this; it is what its README shows. */
const onceMore = (_seconds: number, _options: unknown, _octokit: unknown, retryCount: number) =>
  retryCount < 1

describe('clients that find the minute used up', { concurrency: true, timeout: 300_000 }, () => {
  let masthead: MastheadProcess
  before(async () => {
    masthead = await MastheadProcess.start({ env: { MASTHEAD_LOG: 'warn' } })
  })
  after(() => masthead.stop())

  const ask = (key: string) => fetch(`${masthead.origin}/v1/whoami`, { headers: bearer(key) })

  /** Returns when there are requests again, in Unix seconds. */
  async function useUpTheMinute(key: string): Promise<number> {
    await Promise.all(Array.from({ length: plans.free.requestsPerMinute }, () => ask(key)))
    const refused = await ask(key)
    assert.equal(refused.status, 429)
    return Number(refused.headers.get(resetHeader))
  }

  for (const [name, call] of Object.entries(clients)) {
    const skip = name.startsWith('curl') && skipWithout('curl')
    test(`${name}: every call succeeds in the next window, and the key is not banned`, { skip }, async () => {
      const { key } = await createAccount(masthead, 'free')
      const reset = await useUpTheMinute(key.secret)
      const url = `${masthead.origin}/v1/whoami`
      const calls = Array.from({ length: concurrentCalls }, () => call(url, bearer(key.secret)))
      for (const next of await Promise.all(calls)) assert.ok(Number(next) > reset, `${next} > ${reset}`)
      const client = createClient({ server: masthead.origin, key: key.secret })
      assert.deepEqual((await client.getUsage()).bans, [])
      const { items } = await client.listEvents()
      assert.ok(!items.some(({ type }) => type === 'key.banned'))
    })
  }

  test('a program that does not wait is banned, and its account sees it', async () => {
    const { id, key } = await createAccount(masthead, 'free')
    await useUpTheMinute(key.secret)
    let code: unknown
    while (code !== 'key_banned') {
      const refused = await ask(key.secret)
      assert.equal(refused.status, 429)
      code = ((await refused.json()) as { code: string }).code
    }
    const operator = await operatorClient(masthead)
    await operator.liftBan({ params: { key: key.id } })
    await operator.setAccountPlan({ params: { account: id }, body: { plan: 'pro' } })
    const { items } = await createClient({ server: masthead.origin, key: key.secret }).listEvents()
    assert.deepEqual(
      items.map(({ type }) => type).filter((type) => /^key\..*banned$/.test(type)),
      ['key.unbanned', 'key.banned'],
    )
  })
})

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
