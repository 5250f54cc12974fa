import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { changeProject } from './change-project.ts'
import { by, startProjects } from './projects.test-kit.ts'
import { readProject, readSite } from './read.ts'

onEachDatabase('changing a project', ({ open }) => {
  test('only the given fields change', async () => {
    await using database = await open()
    using projects = await startProjects(database)
    const project = await projects.create('site')
    projects.clock.at += 1000
    const change = { name: 'The site', singlePage: true }
    const changed = await changeProject(projects.context, { project, by, change })
    assert.deepEqual(
      { ...changed },
      {
        ...project,
        name: 'The site',
        single_page: 1,
        updated_at: project.updated_at + 1000,
      },
    )
  })

  test('the edge sends HSTS while the project has it turned on', async () => {
    await using database = await open()
    using projects = await startProjects(database)
    const { context } = projects
    const project = await projects.create('site')
    const seen: unknown[] = []
    for (const strictTransportSecurity of [true, false]) {
      await changeProject(context, { project, by, change: { strictTransportSecurity } })
      seen.push((await readSite(context, 'site'))?.hstsMaxAge)
    }
    assert.deepEqual(seen, [31_536_000, null])
  })

  test('a rename reports both slugs, and frees the old one', async () => {
    await using database = await open()
    using projects = await startProjects(database)
    const project = await projects.create('old')
    projects.heard.length = 0
    await changeProject(projects.context, { project, by, change: { slug: 'new' } })
    assert.deepEqual(
      projects.heard.map((change) => change?.subject),
      ['old', 'new'],
    )
    assert.equal((await readProject(projects.context, projects.account.id, 'new')).id, project.id)
    await projects.create('old')
  })

  test('a rename that started before another one still frees the slug that it replaces', async () => {
    await using database = await open()
    using projects = await startProjects(database)
    const project = await projects.create('one')
    await changeProject(projects.context, { project, by, change: { slug: 'two' } })
    projects.heard.length = 0
    await changeProject(projects.context, { project, by, change: { slug: 'three' } })
    assert.deepEqual(
      projects.heard.map((change) => change?.subject),
      ['two', 'three'],
    )
  })

  test('of simultaneous renames and creations with one slug, one succeeds and the others are refused', async () => {
    await using database = await open()
    using projects = await startProjects(database)
    const { context } = projects
    const named = await Promise.all(['a', 'b', 'c', 'd'].map((slug) => projects.create(slug)))
    const outcomes = await Promise.allSettled([
      ...named.map((project) => changeProject(context, { project, by, change: { slug: 'wanted' } })),
      ...[1, 2, 3].map(() => projects.create('wanted')),
    ])
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    assert.deepEqual(
      refused.map(({ reason }) => reason.code),
      Array(6).fill('slug_taken'),
    )
  })

  test('a project that was deleted meanwhile is not found', async () => {
    await using database = await open()
    using projects = await startProjects(database)
    const project = await projects.create('site')
    await database.write((tx) => tx.deleteFrom('projects').execute())
    const change = changeProject(projects.context, { project, by, change: { name: 'Gone' } })
    await assert.rejects(change, { code: 'not_found' })
  })
})
