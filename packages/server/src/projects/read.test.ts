import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { startProjects } from './projects.test-kit.ts'
import { readProject, readProjects, readSite } from './read.ts'

onEachDatabase('reading projects', ({ open }) => {
  test('a project is found by id and by slug, only in its own account', async () => {
    await using database = await open()
    using projects = await startProjects(database)
    const { context, account } = projects
    const project = await projects.create('site')
    const other = await projects.addAccount()
    assert.deepEqual({ ...(await readProject(context, account.id, 'site')) }, project)
    assert.deepEqual({ ...(await readProject(context, account.id, project.id)) }, project)
    for (const name of ['site', project.id]) {
      await assert.rejects(readProject(context, other.id, name), { code: 'not_found' })
    }
  })

  test('pages are newest first without gaps, while projects are created', async () => {
    await using database = await open()
    using projects = await startProjects(database)
    const { context, account } = projects
    for (const slug of ['a', 'b', 'c', 'd', 'e']) await projects.create(slug)
    const page = async (cursor?: string) => {
      const { items, next } = await readProjects(context, account.id, { limit: 2, cursor, order: 'created' })
      return { items: items.map(({ slug }) => slug), next }
    }
    const first = await page()
    await projects.create('newer')
    const second = await page(first.next ?? '')
    const third = await page(second.next ?? '')
    assert.deepEqual([first.items, second.items, third.items], [['e', 'd'], ['c', 'b'], ['a']])
    assert.equal(third.next, null)
  })

  test('pages by last change are complete, even for projects changed at the same moment', async () => {
    await using database = await open()
    using projects = await startProjects(database)
    const { context, account } = projects
    const made = []
    for (const slug of ['a', 'b', 'c', 'd', 'e']) made.push(await projects.create(slug))
    const [a, , c] = made
    assert.ok(a !== undefined && c !== undefined)
    await database.write((tx) =>
      tx
        .updateTable('projects')
        .set({ updated_at: c.updated_at + 60_000 })
        .where('id', 'in', [a.id, c.id])
        .execute(),
    )
    const slugs: string[] = []
    let cursor: string | undefined
    do {
      const page = await readProjects(context, account.id, { limit: 2, cursor, order: 'changed' })
      slugs.push(...page.items.map(({ slug }) => slug))
      cursor = page.next ?? undefined
    } while (cursor !== undefined)
    assert.deepEqual(slugs, ['c', 'a', 'e', 'd', 'b'])
    const wrong = {
      limit: 2,
      cursor: Buffer.from('after:x:y').toString('base64url'),
      order: 'changed',
    } as const
    await assert.rejects(readProjects(context, account.id, wrong), { code: 'invalid_input' })
  })

  test('search matches parts of names and slugs, ignoring case and without wildcards', async () => {
    await using database = await open()
    using projects = await startProjects(database)
    const { context, account } = projects
    for (const slug of ['handbook', 'shop', 'old-shop']) await projects.create(slug)
    const found = async (search: string) => {
      const { items } = await readProjects(context, account.id, { limit: 9, order: 'created', search })
      return items.map(({ slug }) => slug)
    }
    assert.deepEqual(await found('SHOP'), ['old-shop', 'shop'])
    assert.deepEqual(await found('hand'), ['handbook'])
    for (const nothing of ['%', '_', '\\', "'", 'h%k']) assert.deepEqual(await found(nothing), [], nothing)
  })

  test('the edge gets what it needs to serve a slug, and null for an unused one', async () => {
    await using database = await open()
    using projects = await startProjects(database)
    const { id, account_id } = await projects.create('site')
    assert.deepEqual(await readSite(projects.context, 'site'), {
      projectId: id,
      accountId: account_id,
      slug: 'site',
      deploymentId: null,
      htmlHandling: 'auto',
      singlePage: false,
      immutableAssets: true,
      staleWhileRevalidate: 0,
      redirect: null,
      hstsMaxAge: null,
    })
    assert.equal(await readSite(projects.context, 'nobody'), null)
  })
})
