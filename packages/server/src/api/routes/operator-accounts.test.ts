import assert from 'node:assert/strict'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { OperatorAccount } from '@masthead/contract/schemas/operator.ts'
import { addDomain } from '../../domains/claims/add-domain.ts'
import { readProject } from '../../projects/read.ts'
import { type ApiUnderTest, by, onEachApi } from '../api.test-kit.ts'
import { everyPage } from './every-page.test-kit.ts'
import { publish } from './publish.test-kit.ts'

const list = (api: ApiUnderTest, query = '') =>
  api.send<Page<OperatorAccount>>(`GET /v1/operator/accounts${query}`, api.operator)

async function namesFound(api: ApiUnderTest, search: string): Promise<string[]> {
  const { status, text, body } = await list(api, `?search=${encodeURIComponent(search)}`)
  assert.equal(status, 200, text)
  return body.items.map(({ name }) => name).sort()
}

onEachApi('the list of accounts', (test) => {
  test('shows what each account has, and nothing of others', async (api) => {
    const busy = await api.newAccount('Busy', 'pro')
    const idle = await api.newAccount('Idle')
    const { caller } = await api.newKey(busy.id, ['read', 'deploy', 'domains'])
    for (const slug of ['one', 'two']) await publish(api, caller, slug)
    const project = await readProject(api.context, busy.id, 'one')
    await addDomain(api.context, { project, hostname: 'www.acme.test', move: false, by })
    for (const role of ['owner', 'developer', 'viewer'] as const) await api.newPerson(busy.id, role)
    const { body } = await list(api)
    const counts = body.items.map(({ id, projects, domains, members, usedToday }) => [
      id,
      { projects, domains, members, usedToday },
    ])
    assert.deepEqual(Object.fromEntries(counts), {
      [busy.id]: { projects: 2, domains: 1, members: 3, usedToday: 4 },
      [idle.id]: { projects: 0, domains: 0, members: 0, usedToday: 0 },
    })
  })

  test('counts the requests of this UTC day only', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newKey(id, ['read'])
    await api.send('GET /v1/account', caller)
    assert.equal((await list(api)).body.items[0]?.usedToday, 1)
    api.clock.at = Date.UTC(2030, 0, 2)
    assert.equal((await list(api)).body.items[0]?.usedToday, 0)
  })

  test('is searched by parts of names, ignoring case and without wildcards', async (api) => {
    for (const name of ['Acme', 'acme labs', '100% Pure', 'under_score', 'back\\slash', 'Ärzte']) {
      await api.newAccount(name)
    }
    assert.deepEqual(await namesFound(api, 'ACM'), ['Acme', 'acme labs'])
    assert.deepEqual(await namesFound(api, '%'), ['100% Pure'])
    assert.deepEqual(await namesFound(api, '_'), ['under_score'])
    assert.deepEqual(await namesFound(api, '\\'), ['back\\slash'])
    assert.deepEqual(await namesFound(api, 'Ärz'), ['Ärzte'])
    assert.deepEqual(await namesFound(api, "' or 1=1 --"), [])
    for (const wrong of ['', '%00', 'x'.repeat(81)]) {
      assert.equal((await list(api, `?search=${wrong}`)).status, 422, wrong)
    }
  })

  test('keeps the search from page to page', async (api) => {
    for (let n = 0; n < 5; n++) {
      await api.newAccount(`match ${n}`)
      await api.newAccount(`other ${n}`)
      api.clock.at += 1_000
    }
    const seen = await everyPage<OperatorAccount>(api, '/v1/operator/accounts', 2, '&search=match')
    assert.deepEqual(
      seen.map(({ name }) => name),
      ['match 4', 'match 3', 'match 2', 'match 1', 'match 0'],
    )
  })
})
