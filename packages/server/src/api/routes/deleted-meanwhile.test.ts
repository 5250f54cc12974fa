import assert from 'node:assert/strict'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { Key } from '@masthead/contract/schemas/key.ts'
import { beforeNextWrite, overlap } from '../../database/interleave.test-kit.ts'
import { type ApiUnderTest, onEachApi } from '../api.test-kit.ts'

const creations: Record<string, { route: string; json: object }> = {
  'a key': { route: 'POST /v1/keys', json: { name: 'CI', scopes: ['read'], project: 'website' } },
  'a pipeline': {
    route: 'POST /v1/trusted-publishers',
    json: {
      issuer: 'https://token.actions.githubusercontent.com',
      claims: { repository: 'acme/website', repository_owner_id: '1' },
      project: 'website',
    },
  },
}

async function startProject(api: ApiUnderTest) {
  const { id } = await api.newAccount()
  const { caller } = await api.newPerson(id, 'owner')
  await api.send('POST /v1/projects', caller, { json: { slug: 'website' } })
  return {
    caller,
    remove: () => api.send('DELETE /v1/projects/website', caller),
    async left() {
      const keys = await api.send<Page<Key>>('GET /v1/keys', caller)
      const publishers = await api.send<Page<object>>('GET /v1/trusted-publishers', caller)
      return [...keys.body.items, ...publishers.body.items]
    },
  }
}

onEachApi('a project that is deleted during a request', (test) => {
  for (const [name, { route, json }] of Object.entries(creations)) {
    test(`does not get ${name}`, async (api) => {
      const { caller, remove, left } = await startProject(api)
      beforeNextWrite(api.context.database, remove)
      const refused = await api.send(route, caller, { json })
      assert.deepEqual([refused.status, refused.body.code], [404, 'not_found'])
      assert.deepEqual(await left(), [])
    })

    test(`does not get ${name} while the deletion is not committed`, async (api) => {
      const { caller, remove, left } = await startProject(api)
      const create = () => api.send(route, caller, { json })
      const [removed, refused] = await overlap(api.context.database, remove, create)
      assert.deepEqual([removed.status, refused.status], [204, 404])
      assert.deepEqual(await left(), [])
    })

    test(`takes ${name} along that is committed before`, async (api) => {
      const { caller, remove, left } = await startProject(api)
      const create = () => api.send(route, caller, { json })
      const [created, removed] = await overlap(api.context.database, create, remove)
      assert.deepEqual([created.status, removed.status], [201, 204])
      assert.deepEqual(await left(), [])
    })
  }
})
