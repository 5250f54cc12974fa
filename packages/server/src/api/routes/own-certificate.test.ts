import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { type OpensslCa, startOpensslCa } from '@masthead/testing/peers/openssl-ca.ts'
import { hour } from '../../kernel/clock.ts'
import { onEachApi } from '../api.test-kit.ts'
import { publish } from './publish.test-kit.ts'

let ca: OpensslCa
let own: { chain: string; key: string }
let other: { chain: string; key: string }

before(async () => {
  ca = await startOpensslCa()
  const issue = async (name: string) => {
    const { leaf, key } = await ca.issue({ names: [name] })
    return { chain: ca.intermediate + leaf, key }
  }
  own = await issue('www.acme.com')
  other = await issue('other.example')
})
after(() => ca.remove())

onEachApi('a certificate of your own', (test) => {
  test('is accepted for its name from anyone who may change domains, and its key is never shown', async (api) => {
    api.clock.at = Date.now() + hour
    const { id } = await api.newAccount('site', 'pro')
    const { caller } = await api.newKey(id, ['read', 'deploy', 'domains'])
    const reader = await api.newKey(id, ['read', 'deploy'])
    const stranger = await api.newKey((await api.newAccount('other', 'pro')).id, ['read', 'domains'])
    await publish(api, caller, 'site')
    const domain = '/v1/projects/site/domains/www.acme.com'
    await api.send('POST /v1/projects/site/domains', caller, { json: { hostname: 'www.acme.com' } })
    const put = (as: typeof caller, json: unknown) =>
      api.send<Domain & { code: string; detail: string; errors: { path: string; message: string }[] }>(
        `PUT ${domain}/certificate`,
        as,
        { json },
      )
    assert.equal((await put(reader.caller, own)).status, 403)
    assert.equal((await put(stranger.caller, own)).status, 404)
    const refused = await put(caller, { chain: other.chain, key: own.key })
    assert.deepEqual([refused.status, refused.body.code], [422, 'certificate_invalid'])
    assert.deepEqual(
      refused.body.errors.map(({ path }) => path),
      ['key'],
    )
    assert.match((await put(caller, other)).body.detail, /^The chain is not for www\.acme\.com/)
    const large = { ...own, chain: own.chain + ' '.repeat(50_000) }
    assert.deepEqual([(await put(caller, large)).body.code], ['invalid_input'])
    const huge = { ...own, chain: own.chain + ' '.repeat(70_000) }
    assert.deepEqual([(await put(caller, huge)).status], [413])
    assert.equal((await put(caller, { ...own, more: 1 })).status, 422)
    assert.equal((await api.send(`DELETE ${domain}/certificate`, caller)).status, 404)

    const accepted = await put(caller, own)
    assert.equal(accepted.status, 200)
    assert.deepEqual(accepted.body.certificate.own?.names, ['www.acme.com'])
    assert.equal((await put(caller, own)).status, 200)
    const secret = own.key.split('\n')[1] ?? assert.fail()
    const seen = await Promise.all(
      [`GET ${domain}`, `GET ${domain}/timeline`, 'GET /v1/events'].map((route) => api.send(route, caller)),
    )
    for (const { text } of [accepted, refused, ...seen]) assert.ok(!text.includes(secret))
    assert.ok(!api.logged.join('').includes(secret))
    const handedOver = await api.send<Domain>(`DELETE ${domain}/certificate`, caller)
    assert.deepEqual([handedOver.status, handedOver.body.certificate.own], [200, null])
  })
})
