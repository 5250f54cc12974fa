import assert from 'node:assert/strict'
import { type DomainState, domainStateNames } from '@masthead/contract/domains/states.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { hour } from '../../kernel/clock.ts'
import { Passes, type SignInRequest } from '../../protection/passes.ts'
import { type ApiUnderTest, type Caller, onEachApi } from '../api.test-kit.ts'
import { publish } from './publish.test-kit.ts'

const passes = new Passes(Buffer.alloc(32, 7))

interface Entry {
  url?: string
  code?: string
  site?: string
  detail?: string
}

/** A project, a member of its account, and the requests that the edge would sign for its visitors. */
async function newSite(api: ApiUnderTest) {
  const { id: accountId } = await api.newAccount('Acme', 'business')
  const { caller } = await api.newKey(accountId, ['read', 'deploy', 'domains'])
  await publish(api, caller, 'site')
  await publish(api, caller, 'other')
  const { body: project } = await api.send<Project>('GET /v1/projects/site', caller)
  const member = await api.newPerson(accountId, 'viewer')
  const requestAt = (host: string, more: Partial<SignInRequest> = {}) =>
    passes.sign('request', {
      ...{ host, projectId: project.id, secure: true, deploymentId: null, asksForUser: false },
      ...{ member: 'm-everything', expiresAt: api.clock.at + hour, ...more },
    })
  const enter = (request: string, to = '/') =>
    api.send<Entry>('POST /v1/site-entries', member.caller, { json: { request, to } })
  return { caller, project, requestAt, enter }
}

async function addDomain(api: ApiUnderTest, caller: Caller, hostname: string, project = 'site') {
  const added = await api.send(`POST /v1/projects/${project}/domains`, caller, { json: { hostname } })
  assert.equal(added.status, 201, added.text)
}

function setState(api: ApiUnderTest, hostname: string, state: DomainState): Promise<unknown> {
  return api.context.database.write((tx) =>
    tx.updateTable('domains').set({ state, held: 1 }).where('hostname', '=', hostname).execute(),
  )
}

onEachApi('members enter a protected site', (test) => {
  test('at a domain only while its DNS leads here', async (api) => {
    const { caller, requestAt, enter } = await newSite(api)
    const host = 'www.acme.com'
    await addDomain(api, caller, host)
    const request = requestAt(host)
    const entered: DomainState[] = []
    for (const state of domainStateNames) {
      await setState(api, host, state)
      const { status, body } = await enter(request)
      if (status === 201) entered.push(state)
      else assert.deepEqual([status, body.code, body.url], [409, 'site_elsewhere', undefined], state)
    }
    assert.deepEqual(entered, ['verified', 'live'])
    await setState(api, host, 'live')
    await api.send(`DELETE /v1/projects/site/domains/${host}`, caller)
    const removed = await enter(request)
    assert.deepEqual([removed.status, removed.body.code], [409, 'site_elsewhere'])
    assert.match(removed.body.detail ?? '', /www\.acme\.com leads to another server now/)
  })

  test('at names below a wildcard while its DNS leads here, unless another project has the name', async (api) => {
    const { caller, requestAt, enter } = await newSite(api)
    await addDomain(api, caller, '*.acme.com')
    const request = requestAt('shop.acme.com')
    const expect = async (status: number) => assert.equal((await enter(request)).status, status)
    await setState(api, '*.acme.com', 'live')
    await expect(201)
    await setState(api, '*.acme.com', 'drifted')
    await expect(409)
    await setState(api, '*.acme.com', 'live')
    await addDomain(api, caller, 'shop.acme.com', 'other')
    await setState(api, 'shop.acme.com', 'live')
    await expect(409)
  })

  test('at its platform addresses, and not at those of another project', async (api) => {
    const { project, requestAt, enter } = await newSite(api)
    const preview = `${project.activeDeployment?.id.slice(4)}--site`
    const statusAt = async (label: string) => (await enter(requestAt(`${label}.masthead.localhost`))).status
    for (const label of ['site', preview]) assert.equal(await statusAt(label), 201, label)
    for (const label of ['other', 'none', `${preview}x`, 'none--site', '--site', 'a.site']) {
      assert.equal(await statusAt(label), 409, label)
    }
  })

  test('within an hour, and are led back to the site after that', async (api) => {
    const { requestAt, enter } = await newSite(api)
    const host = 'site.masthead.localhost'
    const request = requestAt(host)
    api.clock.at += hour - 1
    assert.equal((await enter(request)).status, 201)
    api.clock.at += 1
    for (const old of [request, requestAt(host, { expiresAt: undefined as never })]) {
      const { status, body } = await enter(old, '/a?b')
      assert.deepEqual([status, body.code, body.site], [410, 'link_invalid', `https://${host}:8443/a?b`])
    }
    assert.equal((await enter(request, '//evil.example')).body.site, `https://${host}:8443/`)
  })
})
