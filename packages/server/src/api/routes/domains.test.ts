import assert from 'node:assert/strict'
import type { PlanName } from '@masthead/contract/plans.ts'
import type { Account } from '@masthead/contract/schemas/account.ts'
import type { DomainCheck } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { Domain, RemovedDomain, TimelineEntry } from '@masthead/contract/schemas/domains/domain.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domains/domain-config.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import { type ApiUnderTest, onEachApi } from '../api.test-kit.ts'
import { publish } from './publish.test-kit.ts'

/** A published project in its own account. */
async function newSite(api: ApiUnderTest, { slug = 'site', plan = 'pro' as PlanName } = {}) {
  const { id: accountId } = await api.newAccount(slug, plan)
  const { caller } = await api.newKey(accountId, ['read', 'deploy', 'domains', 'admin'])
  await publish(api, caller, slug)
  const domains = `/v1/projects/${slug}/domains`
  const add = (hostname: string, headers = {}) =>
    api.send<Domain>(`POST ${domains}`, caller, { json: { hostname }, headers })
  return { accountId, caller, domains, add }
}

onEachApi('domains', (test) => {
  test('are added as typed, and shown with the record to set', async (api) => {
    const { caller, domains, add } = await newSite(api)
    const { status, body } = await add('https://WWW.Bücher.example/shop')
    assert.equal(status, 201)
    const { hostname, unicode, kind, state, url, lastCheck, advice, checkedUntil } = body
    assert.deepEqual(
      { hostname, unicode, kind, state, url, lastCheck, advice },
      {
        hostname: 'www.xn--bcher-kva.example',
        unicode: 'www.bücher.example',
        kind: 'subdomain',
        state: 'pending',
        url: 'http://www.xn--bcher-kva.example:8080',
        lastCheck: null,
        advice: null,
      },
    )
    const [record, ...more] = body.records
    assert.deepEqual(
      [more.length, record?.type, record?.name, record?.fqdn, record?.ttl, record?.status],
      [0, 'CNAME', 'www', hostname, 3_600, 'unchecked'],
    )
    assert.match(record?.value ?? '', /^[a-z2-9]{10}\.cname\.masthead\.localhost$/)
    assert.equal(Date.parse(checkedUntil ?? '') - api.clock.at, 48 * 3_600_000)
    for (const spelling of [hostname, encodeURIComponent('WWW.Bücher.example')]) {
      const found = await api.send<Domain>(`GET ${domains}/${spelling}`, caller)
      assert.deepEqual([found.status, found.body], [200, body])
    }
    for (const wrong of ['unknown.example', '%20', 'a%00b', '-', '*.example']) {
      const found = await api.send(`GET ${domains}/${wrong}`, caller)
      assert.deepEqual([found.status, found.body.code], [404, 'not_found'], wrong)
    }
  })

  test('need a paid plan; the refusal says which, and where to get it', async (api) => {
    const { accountId, domains, caller } = await newSite(api, { plan: 'free' })
    const refused = await api.send(`POST ${domains}`, caller, { json: { hostname: 'acme.com' } })
    assert.deepEqual([refused.status, refused.body.code], [403, 'plan_required'])
    const { plan, requiredPlan, upgradeUrl } = refused.body as Record<string, unknown>
    const told = ['free', 'pro', `http://localhost:8080/accounts/${accountId}/plan`]
    assert.deepEqual([plan, requiredPlan, upgradeUrl], told)
  })

  test('can be wildcards on a plan that has them, under any spelling of their name', async (api) => {
    const { caller, domains, add } = await newSite(api)
    const refused = await add('*.acme.com')
    const { code, requiredPlan } = refused.body as unknown as Record<string, unknown>
    assert.deepEqual([refused.status, code, requiredPlan], [403, 'plan_required', 'business'])
    await api.send(`PUT /v1/account/plan`, caller, { json: { plan: 'business' } })
    const { status, body } = await add('https://*.SHOP.Bücher.example./')
    const { hostname, unicode, kind, url, records } = body
    assert.deepEqual(
      { status, hostname, unicode, kind, url },
      {
        status: 201,
        hostname: '*.shop.xn--bcher-kva.example',
        unicode: '*.shop.bücher.example',
        kind: 'wildcard',
        url: 'http://*.shop.xn--bcher-kva.example:8080',
      },
    )
    // The whole domain is to be proved, and its proof has been started.
    assert.deepEqual(
      records.map(({ type, name, purpose }) => [type, name, purpose]),
      [
        ['CNAME', '*.shop', 'routing'],
        ['TXT', '_masthead-challenge', 'ownership'],
      ],
    )
    const proofs = await api.send<Page<{ domain: string; state: string }>>('GET /v1/proofs', caller)
    assert.deepEqual(
      proofs.body.items.map(({ domain, state }) => [domain, state]),
      [['xn--bcher-kva.example', 'pending']],
    )
    for (const spelling of [hostname, '%2A.shop.XN--bcher-kva.example', encodeURIComponent(unicode)]) {
      const found = await api.send<Domain>(`GET ${domains}/${spelling}`, caller)
      assert.deepEqual([found.status, found.body], [200, body], spelling)
    }
    const config = { domains: { primary: hostname, redirects: [] } }
    const invalid = await api.send(`PUT /v1/projects/site/domain-config`, caller, { json: config })
    assert.deepEqual([invalid.status, invalid.body.code], [422, 'domain_config_invalid'])
    const removed = await api.send(`DELETE ${domains}/${hostname}`, caller)
    assert.equal(removed.status, 200)
  })

  test('with bad names are refused with the reason', async (api) => {
    const { domains, caller } = await newSite(api)
    for (const hostname of [
      'co.uk',
      '192.0.2.1',
      'localhost',
      'x.masthead.localhost',
      '*.co.uk',
      'a.*.acme.com',
      'a b.com',
    ]) {
      const refused = await api.send(`POST ${domains}`, caller, { json: { hostname } })
      assert.deepEqual([refused.status, refused.body.code], [422, 'hostname_invalid'], hostname)
      assert.equal(refused.body.errors?.[0]?.path, 'hostname')
    }
  })

  test('are added once with an Idempotency-Key, however often it is sent', async (api) => {
    const { add } = await newSite(api)
    const headers = { 'Idempotency-Key': 'once' }
    const first = await add('acme.com', headers)
    const second = await add('acme.com', headers)
    assert.deepEqual([second.status, second.body], [first.status, first.body])
    assert.equal((await add('acme.com')).status, 409)
  })

  test('are listed by name, in pages', async (api) => {
    const { caller, domains, add } = await newSite(api)
    for (const name of ['c.com', 'a.com', 'b.com']) await add(name)
    const first = await api.send<Page<Domain>>(`GET ${domains}?limit=2`, caller)
    const rest = await api.send<Page<Domain>>(`GET ${domains}?limit=2&cursor=${first.body.next}`, caller)
    const names = [first, rest].map(({ body }) => body.items.map(({ hostname }) => hostname))
    assert.deepEqual(names, [['a.com', 'b.com'], ['c.com']])
    assert.equal(rest.body.next, null)
  })

  test('are moved between projects of an account when that is asked for', async (api) => {
    const { caller, add } = await newSite(api)
    await publish(api, caller, 'other')
    const { body: domain } = await add('acme.com')
    const route = 'POST /v1/projects/other/domains'
    const refused = await api.send(route, caller, { json: { hostname: 'acme.com' } })
    assert.deepEqual([refused.status, refused.body.code], [409, 'domain_on_other_project'])
    assert.equal((refused.body as Record<string, unknown>).project, 'site')
    const moved = await api.send<Domain>(route, caller, { json: { hostname: 'acme.com', move: true } })
    assert.deepEqual([moved.status, moved.body], [201, domain])
  })

  test('are removed with a warning where nothing redirects them, and come back with their records', async (api) => {
    const { caller, domains, add } = await newSite(api)
    const before = await add('www.acme.com')
    const removed = await api.send<RemovedDomain>(`DELETE ${domains}/WWW.ACME.com`, caller)
    assert.equal(removed.status, 200)
    assert.equal(removed.body.hostname, 'www.acme.com')
    assert.equal(Date.parse(removed.body.removedAt), api.clock.at)
    assert.deepEqual(
      removed.body.warnings.map(({ code }) => code),
      ['no_redirect'],
    )
    assert.equal((await api.send(`GET ${domains}/www.acme.com`, caller)).status, 404)
    assert.deepEqual((await add('www.acme.com')).body.records, before.body.records)
  })

  test('are not found by another account, which can claim the same name', async (api) => {
    const { domains, add } = await newSite(api)
    const stranger = await newSite(api, { slug: 'stranger' })
    const { body: own } = await add('www.acme.com')
    for (const route of ['GET', 'DELETE', 'GET /timeline', 'POST /verify', 'POST /reverify']) {
      const [method, more = ''] = route.split(' ')
      for (const project of [domains, stranger.domains]) {
        const refused = await api.send(`${method} ${project}/www.acme.com${more}`, stranger.caller)
        assert.deepEqual([refused.status, refused.body.code], [404, 'not_found'], route)
      }
    }
    const claimed = await stranger.add('www.acme.com')
    assert.equal(claimed.status, 201)
    assert.notEqual(claimed.body.records[0]?.value, own.records[0]?.value)
  })

  test('can only be read by a key that cannot change them', async (api) => {
    const { accountId, domains, add } = await newSite(api)
    await add('acme.com')
    const { caller } = await api.newKey(accountId, ['read'])
    assert.equal((await api.send(`GET ${domains}/acme.com`, caller)).status, 200)
    const json = { hostname: 'www.acme.com' }
    assert.equal((await api.send(`POST ${domains}`, caller, { json })).status, 403)
    assert.equal((await api.send(`DELETE ${domains}/acme.com`, caller)).status, 403)
    assert.equal((await api.send(`POST ${domains}/acme.com/verify`, caller)).status, 403)
  })

  test('that cannot be looked up stay unchanged, and the timeline shows the attempts', async (api) => {
    const { caller, domains, add } = await newSite(api)
    await add('acme.com')
    const verified = await api.send<Domain>(`POST ${domains}/acme.com/verify`, caller)
    assert.deepEqual([verified.status, verified.body.state], [200, 'pending'])
    assert.equal(verified.body.lastCheck?.outcome, 'unclear')
    assert.equal((await api.send(`POST ${domains}/acme.com/reverify`, caller)).status, 202)
    const timeline = `GET ${domains}/acme.com/timeline`
    const { body } = await api.send<Page<TimelineEntry>>(timeline, caller)
    assert.deepEqual(
      body.items.map(({ kind, times }) => [kind, times]),
      [
        ['checked', 2],
        ['added', 1],
      ],
    )
    const first = await api.send<Page<TimelineEntry>>(`${timeline}?limit=1`, caller)
    const rest = await api.send<Page<TimelineEntry>>(`${timeline}?limit=1&cursor=${first.body.next}`, caller)
    assert.deepEqual([rest.body.items[0]?.kind, rest.body.next], ['added', null])
  })

  test('are checked once for everybody who asks right after a check', async (api) => {
    const { caller, domains, add } = await newSite(api)
    await add('www.acme.com')
    for (const verb of ['verify', 'reverify']) {
      const ask = () => api.send<Domain>(`POST ${domains}/www.acme.com/${verb}`, caller)
      const checks = async () => {
        const { body } = await api.send<Page<TimelineEntry>>(`GET ${domains}/www.acme.com/timeline`, caller)
        return body.items.reduce((sum, { kind, times }) => sum + (kind === 'checked' ? times : 0), 0)
      }
      await ask()
      const before = await checks()
      const answers = await Promise.all(Array.from({ length: 8 }, ask))
      assert.equal(new Set(answers.map(({ status }) => status)).size, 1)
      assert.equal(await checks(), before + 1)
    }
  })

  test('can be checked before they are added', async (api) => {
    const { caller, domains } = await newSite(api)
    const json = { hostname: 'WWW.acme.com' }
    const checked = await api.send<DomainCheck>('POST /v1/domain-checks', caller, { json })
    assert.deepEqual([checked.status, checked.body.hostname], [200, 'www.acme.com'])
    assert.deepEqual((await api.send<Page<Domain>>(`GET ${domains}`, caller)).body.items, [])
  })

  test('get a primary domain and redirects, all or nothing', async (api) => {
    const { caller, add } = await newSite(api)
    const route = '/v1/projects/site/domain-config'
    await add('acme.com')
    const wanted = {
      domains: { primary: 'acme.com', redirects: [{ from: 'site.masthead.localhost', to: 'acme.com' }] },
    }
    const put = await api.send<DomainConfig>(`PUT ${route}`, caller, { json: wanted })
    assert.equal(put.status, 200, put.text)
    assert.equal(put.body.domains.redirects[0]?.status, 301)
    const loop = { domains: { primary: 'acme.com', redirects: [{ from: 'acme.com', to: 'acme.com' }] } }
    const refused = await api.send(`PUT ${route}`, caller, { json: loop })
    assert.deepEqual([refused.status, refused.body.code], [422, 'domain_config_invalid'])
    assert.equal(refused.body.errors?.[0]?.path, 'domains.redirects.0.from')
    assert.deepEqual((await api.send<DomainConfig>(`GET ${route}`, caller)).body, put.body)
  })

  test('heed If-None-Match: 304 for what the caller has, 412 for what must not be replaced', async (api) => {
    const { caller } = await newSite(api)
    const path = '/v1/projects/site/domain-config'
    const read = await api.send<DomainConfig>(`GET ${path}`, caller)
    const tag = read.headers.get('etag') ?? ''
    for (const header of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const headers = { 'If-None-Match': header }
      const again = await api.send(`GET ${path}`, caller, { headers })
      assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', tag], header)
      const refused = await api.send(`PUT ${path}`, caller, { headers, json: { domains: read.body.domains } })
      assert.deepEqual([refused.status, refused.body.code], [412, 'domain_config_changed'], header)
    }
    const headers = { 'If-None-Match': '"other"' }
    assert.equal((await api.send(`GET ${path}`, caller, { headers })).status, 200)
    const changed = await api.send(`PUT ${path}`, caller, { headers, json: { domains: read.body.domains } })
    assert.equal(changed.status, 200, changed.text)
  })

  test('check If-Match before changing them', async (api) => {
    const { caller, add } = await newSite(api)
    const route = '/v1/projects/site/domain-config'
    await add('acme.com')
    const read = await api.send<DomainConfig>(`GET ${route}`, caller)
    const seen = { 'if-match': read.headers.get('etag') ?? '' }
    const change = (primary: string, headers: Record<string, string>) =>
      api.send(`PUT ${route}`, caller, { json: { domains: { primary } }, headers })
    const first = await change('acme.com', seen)
    assert.equal(first.status, 200, first.text)
    const late = await change('site.masthead.localhost', seen)
    assert.deepEqual([late.status, late.body.code], [412, 'domain_config_changed'])
    const tags = [late, first, await api.send(`GET ${route}`, caller)].map(({ headers }) =>
      headers.get('etag'),
    )
    assert.equal(new Set(tags).size, 1)
    assert.equal((await change('site.masthead.localhost', {})).status, 200)
  })

  test('are suspended with the plan when that is asked for, and resumed with it', async (api) => {
    const { accountId, caller, domains, add } = await newSite(api)
    await add('acme.com')
    const toPlan = (json: object) => api.send<Account>('PUT /v1/account/plan', caller, { json })
    const state = async () => (await api.send<Domain>(`GET ${domains}/acme.com`, caller)).body.state
    const refused = await api.send('PUT /v1/account/plan', caller, { json: { plan: 'free' } })
    assert.deepEqual([refused.status, refused.body.code], [409, 'domains_would_suspend'])
    assert.deepEqual((refused.body as Record<string, unknown>).domains, ['acme.com'])
    assert.equal((await toPlan({ plan: 'free', suspendDomains: true })).body.plan, 'free')
    assert.equal(await state(), 'suspended')
    const verify = await api.send(`POST ${domains}/acme.com/verify`, caller)
    assert.deepEqual([verify.status, verify.body.code], [409, 'domain_suspended'])
    assert.equal((await toPlan({ plan: 'pro' })).status, 200)
    assert.equal(await state(), 'pending')
    const byOperator = `PUT /v1/operator/accounts/${accountId}/plan`
    assert.equal((await api.send(byOperator, api.operator, { json: { plan: 'free' } })).status, 200)
    assert.equal(await state(), 'suspended')
  })

  test('go with their project', async (api) => {
    const { caller, add } = await newSite(api)
    await add('acme.com')
    assert.equal((await api.send('DELETE /v1/projects/site', caller)).status, 204)
    await publish(api, caller, 'new')
    const json = { hostname: 'acme.com' }
    assert.equal((await api.send('POST /v1/projects/new/domains', caller, { json })).status, 201)
  })
})
