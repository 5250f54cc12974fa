import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { toPage } from '../database/page.ts'
import { startProjects } from './projects.test-kit.ts'
import { readProject, readProjects, readSite } from './read.ts'

onEachDatabase('reading projects', ({ open }) => {
  test('a project is found by id and by slug, in its own account alone', async () => {
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

  test('pages go from the newest to the oldest without a gap, while new projects are made', async () => {
    await using database = await open()
    using projects = await startProjects(database)
    const { context, account } = projects
    for (const slug of ['a', 'b', 'c', 'd', 'e']) await projects.create(slug)
    const page = async (cursor?: string) => {
      const rows = await readProjects(context, account.id, { limit: 2, cursor })
      return toPage(
        rows,
        2,
        (row) => row.id,
        (row) => row.slug,
      )
    }
    const first = await page()
    await projects.create('newer')
    const second = await page(first.next ?? '')
    const third = await page(second.next ?? '')
    assert.deepEqual([first.items, second.items, third.items], [['e', 'd'], ['c', 'b'], ['a']])
    assert.equal(third.next, null)
  })

  test('the edge gets what it needs to serve a slug, and null for one that nobody has', async () => {
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
      redirect: null,
      hstsMaxAge: null,
    })
    assert.equal(await readSite(projects.context, 'nobody'), null)
  })
})
