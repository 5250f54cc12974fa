import assert from 'node:assert/strict'
import type { Endpoint } from '@masthead/contract/endpoints/endpoint.ts'
import { endpoints } from '@masthead/contract/endpoints.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { CreatedKey, Key } from '@masthead/contract/schemas/key.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { scopeNames } from '@masthead/contract/scopes.ts'
import { type ApiUnderTest, type Caller, onEachApi } from '../api.test-kit.ts'
import { publish } from '../routes/publish.test-kit.ts'

async function setTheScene(api: ApiUnderTest) {
  const { id } = await api.newAccount('Acme', 'business')
  const owner = (await api.newPerson(id, 'owner')).caller
  const newProject = async (slug: string) =>
    (await api.send<Project>('POST /v1/projects', owner, { json: { slug } })).body
  const own = await newProject('own')
  const other = await newProject('other')
  const json = { name: 'CI', scopes: scopeNames, project: 'own' }
  const created = await api.send<CreatedKey>('POST /v1/keys', owner, { json })
  assert.equal(created.status, 201, created.text)
  return { id, owner, own, other, key: created.body, limited: api.byKey(created.body.secret) }
}

const status = async (api: ApiUnderTest, route: string, as: Caller, json?: object) =>
  (await api.send(route, as, json === undefined ? {} : { json })).status

onEachApi('a key for one project', (test) => {
  test('uses its project by id and by slug, and no other', async (api) => {
    const { limited, own, other, owner } = await setTheScene(api)
    for (const name of ['own', own.id]) {
      assert.equal(await status(api, `GET /v1/projects/${name}`, limited), 200)
      assert.equal(await status(api, `PATCH /v1/projects/${name}`, limited, { name: 'Own' }), 200)
    }
    const otherNames = [
      'other',
      other.id,
      'nobody-has-this',
      'prj_06d8f2k4m9q1s7x3b5n0',
      '%00',
      'x'.repeat(100),
    ]
    for (const name of [...otherNames, 'OWN', 'own%20', '%6fther']) {
      const refused = await api.send(`GET /v1/projects/${name}`, limited)
      assert.ok([403, 400].includes(refused.status), `${name}: ${refused.status}`)
    }
    const list = await api.send<Page<Key>>('GET /v1/keys', owner)
    assert.deepEqual(list.body.items[0]?.project, { id: own.id, slug: 'own' })
    assert.deepEqual(list.body.items[0]?.scopes, scopeNames)
  })

  test('follows its project, and not the slug', async (api) => {
    const { limited, owner, own } = await setTheScene(api)
    assert.equal(await status(api, 'PATCH /v1/projects/own', owner, { slug: 'moved' }), 200)
    assert.equal(await status(api, 'PATCH /v1/projects/other', owner, { slug: 'own' }), 200)
    assert.equal(await status(api, 'GET /v1/projects/own', limited), 403)
    assert.equal((await api.send<Project>('GET /v1/projects/moved', limited)).body.id, own.id)
  })

  test('cannot use any route outside of its project', async (api) => {
    const { limited } = await setTheScene(api)
    const outside = Object.values(endpoints as Record<string, Endpoint>).filter(
      ({ route, access }) => !route.includes('{project}') && access !== 'public' && access !== 'any',
    )
    assert.ok(outside.length > 40)
    for (const { route } of outside) {
      const path = route.replaceAll(/\{\w+\}/g, 'x')
      assert.equal(await status(api, path, limited, route.startsWith('GET') ? undefined : {}), 403, route)
      api.clock.at += 1_000
    }
    for (const open of ['GET /v1/whoami', 'GET /v1/server']) {
      assert.equal(await status(api, open, limited), 200, open)
    }
  })

  test('cannot use any route of another project', async (api) => {
    const { limited } = await setTheScene(api)
    const inside = Object.values(endpoints as Record<string, Endpoint>).filter(
      ({ route, access }) => route.includes('{project}') && access !== 'public',
    )
    assert.ok(inside.length > 20)
    for (const { route } of inside) {
      const path = route.replace('{project}', 'other').replaceAll(/\{\w+\}/g, 'x')
      assert.equal(await status(api, path, limited, route.startsWith('GET') ? undefined : {}), 403, route)
      api.clock.at += 1_000
    }
  })

  test('cannot take a domain from another project', async (api) => {
    const { limited } = await setTheScene(api)
    const json = { hostname: 'www.acme.com', move: true }
    assert.equal(await status(api, 'POST /v1/projects/own/domains', limited, json), 403)
  })

  test('cannot take a name from a wildcard of another project, nor learn which project has a domain', async (api) => {
    const { id, limited, owner } = await setTheScene(api)
    const { caller: deployer } = await api.newKey(id, ['deploy'])
    for (const slug of ['own', 'other']) await publish(api, deployer, slug)
    const add = (as: Caller, project: string, hostname: string) =>
      api.send(`POST /v1/projects/${project}/domains`, as, { json: { hostname } })
    for (const [project, hostname] of [
      ['other', '*.acme.com'],
      ['other', 'www.other.example'],
      ['own', '*.own.example'],
    ] as const) {
      assert.equal((await add(owner, project, hostname)).status, 201, hostname)
    }
    for (const hostname of ['shop.acme.com', 'SHOP.acme.com.', 'https://shop.acme.com/']) {
      const refused = await add(limited, 'own', hostname)
      assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden'], hostname)
    }
    for (const hostname of ['www.other.example', '*.acme.com']) {
      const taken = await add(limited, 'own', hostname)
      assert.deepEqual([taken.status, taken.body.code], [409, 'domain_on_other_project'])
      assert.doesNotMatch(taken.text, /"other"|project other/)
    }
    for (const hostname of ['shop.own.example', 'a.shop.acme.com', 'acme.com']) {
      assert.equal((await add(limited, 'own', hostname)).status, 201, hostname)
    }
    assert.equal((await add(owner, 'own', 'shop.acme.com')).status, 201)
  })

  test('ends with its project', async (api) => {
    const { limited, owner } = await setTheScene(api)
    assert.equal(await status(api, 'GET /v1/projects/own', limited), 200)
    assert.equal(await status(api, 'DELETE /v1/projects/own', owner), 204)
    assert.equal(await status(api, 'GET /v1/whoami', limited), 401)
    assert.deepEqual((await api.send<Page<Key>>('GET /v1/keys', owner)).body.items, [])
  })

  test('needs a project of the account', async (api) => {
    const { owner } = await setTheScene(api)
    const stranger = await api.newAccount('Stranger')
    const their = await api.newKey(stranger.id, ['deploy'])
    await api.send('POST /v1/projects', their.caller, { json: { slug: 'theirs' } })
    for (const project of ['nobody', 'theirs', '']) {
      const refused = await api.send('POST /v1/keys', owner, { json: { name: 'CI', project } })
      assert.ok([404, 422].includes(refused.status), project)
    }
  })

  test('has no scopes for a server that does not know such keys', async (api) => {
    const { key } = await setTheScene(api)
    const { read } = api.context.database
    const row = await read.selectFrom('keys').selectAll().where('id', '=', key.id).executeTakeFirstOrThrow()
    assert.ok(row.scopes.split(' ').every((word) => !scopeNames.some((name) => name === word)))
  })
})
