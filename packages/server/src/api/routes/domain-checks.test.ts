import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DomainCheck } from '@masthead/contract/schemas/domains/dns-check.ts'
import { until } from '@masthead/testing/until.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import type { Dns } from '../../dns/dns.ts'
import { DnsError } from '../../dns/dns-error.ts'
import { startApi } from '../api.test-kit.ts'

/** DNS that answers nobody. About names in `slow.example` it says so when the test releases them. */
function startDns() {
  const asked = new Set<string>()
  const released = Promise.withResolvers<void>()
  const fail = async (name: string): Promise<never> => {
    if (name.endsWith('.slow.example')) {
      asked.add(name)
      await released.promise
    }
    throw new DnsError('timeout', 'Nobody answers')
  }
  const dns: Dns = { resolve: fail, findZone: fail, askNameservers: fail }
  return { dns, asked, release: () => released.resolve() }
}

onEachDatabase('checks of names', ({ open }) => {
  test('of one account run a few at a time, some wait, and no other account waits for them', async () => {
    await using database = await open()
    await using api = await startApi(database)
    const { dns, asked, release } = startDns()
    api.context.dns = dns
    const newCaller = async () =>
      (await api.newKey((await api.newAccount('Acme', 'pro')).id, ['read'])).caller
    const [greedy, other] = [await newCaller(), await newCaller()]
    const check = (caller: typeof greedy, hostname: string) =>
      api.send<DomainCheck>('POST /v1/domain-checks', caller, { json: { hostname } })
    const refused: string[] = []
    const checks = Array.from({ length: 90 }, async (_, n) => {
      const { status, headers } = await check(greedy, `n${n}.slow.example`)
      if (status === 503) refused.push(headers.get('retry-after') ?? '')
      return status
    })
    await until(() => refused.length === 6 && asked.size === 4)
    const calm = await check(other, 'www.calm.example')
    assert.deepEqual([calm.status, calm.body.hostname], [200, 'www.calm.example'])
    assert.equal(asked.size, 4)
    release()
    const statuses = await Promise.all(checks)
    assert.equal(statuses.filter((status) => status === 200).length, 84)
    assert.deepEqual(
      refused,
      Array.from({ length: 6 }, () => '5'),
    )
  })
})
