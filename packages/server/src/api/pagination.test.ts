import assert from 'node:assert/strict'
import { test as plainTest } from 'node:test'
import { type EndpointName, endpoints } from '@masthead/contract/endpoints.ts'
import { type RouteSchemas, routes } from '@masthead/contract/routes.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import fc from 'fast-check'
import { z } from 'zod'
import { readCursor, toPage } from '../database/list-query.ts'
import { createKey } from '../keys/manage-keys.ts'
import { by, onEachApi } from './api.test-kit.ts'

const params: Record<string, string> = {
  project: 'one',
  deployment: 'dpl_06d8f2k4m9q1s7x3b5n0',
  webhook: 'whk_06d8f2k4m9q1s7x3b5n0',
  hostname: 'www.example.com',
}

plainTest('whatever the items and the limit, following the cursors meets each item once and in order', () => {
  const keys = fc.uniqueArray(fc.string({ unit: 'grapheme' }), { maxLength: 40 })
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 10 }), (unsorted, limit) => {
      const sorted = unsorted.toSorted()
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const after = readCursor(cursor)
        const start = after === undefined ? 0 : sorted.indexOf(after) + 1
        const rows = sorted.slice(start, start + limit + 1)
        const page = toPage(
          rows,
          limit,
          (row) => row,
          (row) => row,
        )
        assert.ok(page.items.length <= limit)
        seen.push(...page.items)
        cursor = page.next ?? undefined
      } while (cursor !== undefined)
      assert.deepEqual(seen, sorted)
    }),
  )
})

onEachApi('a list', (test) => {
  test('of 250 items has pages without gaps or duplicates, newest first', async (api) => {
    const { id: accountId } = await api.newAccount()
    const { caller } = await api.newPerson(accountId, 'owner')
    const made: string[] = []
    await api.context.database.write(async (tx) => {
      for (let n = 0; n < 250; n++) {
        const input = { accountId, name: `key ${n}`, scopes: ['read'] as const, expiresAt: null, by }
        made.unshift((await createKey(tx, { ...input, at: api.clock.at + (n % 3) })).id)
      }
    })
    const sizes: number[] = []
    const seen: string[] = []
    let next: string | null = ''
    while (next !== null) {
      const route: string = `GET /v1/keys?limit=100${next === '' ? '' : `&cursor=${next}`}`
      const page = await api.send<Page<{ id: string }>>(route, caller)
      sizes.push(page.body.items.length)
      seen.push(...page.body.items.map(({ id }) => id))
      next = page.body.next
    }
    assert.deepEqual(sizes, [100, 100, 50])
    assert.deepEqual(seen, made)
  })

  test('stays complete while items are added and removed between pages', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner')
    const keys = []
    for (let n = 0; n < 6; n++) keys.unshift(await api.newKey(id, ['read']))
    const ids = keys.map((key) => key.id)
    const list = (query: string) => api.send<Page<{ id: string }>>(`GET /v1/keys?limit=3${query}`, caller)
    const first = await list('')
    await api.send(`DELETE /v1/keys/${ids[2]}`, caller)
    await api.newKey(id, ['read'])
    const second = await list(`&cursor=${first.body.next}`)
    assert.deepEqual(
      [...first.body.items, ...second.body.items].map((item) => item.id),
      ids,
    )
    assert.equal(second.body.next, null)
  })

  test('has twenty items per page by default, and ends exactly', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner')
    for (let n = 0; n < 20; n++) await api.newKey(id, ['read'])
    const whole = await api.send<Page<object>>('GET /v1/keys', caller)
    assert.equal(whole.body.items.length, 20)
    assert.equal(whole.body.next, null)
    await api.newKey(id, ['read'])
    assert.notEqual((await api.send<Page<object>>('GET /v1/keys', caller)).body.next, null)
  })

  test('refuses the cursor of every other list, also of one in another order', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner', { operator: true })
    for (const slug of ['one', 'two', 'three'])
      await api.send('POST /v1/projects', caller, { json: { slug } })
    const nextOf = async (list: string) => (await api.send<Page<object>>(`GET ${list}`, caller)).body.next
    const cursors = {
      projects: await nextOf('/v1/projects?limit=1'),
      changed: await nextOf('/v1/projects?limit=1&order=changed'),
      events: await nextOf('/v1/events?limit=1'),
    }
    const last = await api.send<Page<{ slug: string }>>(`GET /v1/projects?cursor=${cursors.projects}`, caller)
    assert.deepEqual(
      last.body.items.map(({ slug }) => slug),
      ['two', 'one'],
    )
    const lists = Object.entries(endpoints).filter(([name]) => {
      const { query }: RouteSchemas = routes[name as EndpointName]
      return query instanceof z.ZodObject && 'cursor' in query.shape
    })
    assert.ok(lists.length > 15)
    for (const [name, { route }] of lists) {
      const path = route.replaceAll(/\{(\w+)\}/g, (_, param: string) => params[param] ?? assert.fail(param))
      for (const [of, cursor] of Object.entries(cursors)) {
        const isOwn = name === 'listEvents' ? of === 'events' : name === 'listProjects' && of === 'projects'
        if (isOwn) continue
        const refused = await api.send(`${path}?cursor=${cursor}`, caller)
        assert.equal(refused.status, 422, `${path} with a cursor of ${of}: ${refused.text}`)
        assert.match(
          refused.body.detail,
          /^This cursor is not from this list\. Use the `next` of the last page/,
        )
      }
    }
  })

  test('refuses a made-up cursor, and a limit out of bounds', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'owner')
    const lists = ['projects', 'keys', 'members', 'invitations', 'events']
    for (const list of lists) {
      for (const [path, value] of [
        ['cursor', 'made-up'],
        ['cursor', 'x'.repeat(3_000)],
        ['limit', '0'],
        ['limit', '101'],
        ['limit', '-1'],
        ['limit', '1.5'],
        ['limit', 'many'],
        ['limit', ''],
      ]) {
        const refused = await api.send(`GET /v1/${list}?${path}=${value}`, caller)
        assert.equal(refused.status, 422, `${list} with ${path} ${value}`)
        assert.equal(refused.body.errors?.[0]?.path, path)
      }
      for (const limit of [1, 100]) {
        assert.equal((await api.send(`GET /v1/${list}?limit=${limit}`, caller)).status, 200)
      }
    }
  })
})
