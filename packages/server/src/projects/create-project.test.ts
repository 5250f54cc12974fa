import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { listEvents } from '../events/list-events.ts'
import { by, startProjects } from './projects.test-kit.ts'

onEachDatabase('creating a project', ({ open }) => {
  test('the slug is the default name, and the change and event are recorded', async () => {
    await using database = await open()
    using projects = await startProjects(database)
    const project = await projects.create('site')
    assert.deepEqual([project.name, project.active_deployment_id], ['site', null])
    assert.deepEqual(projects.heard, [{ kind: 'project', subject: 'site' }])
    const [event] = (await listEvents(projects.context, projects.account.id, { limit: 1 })).items
    assert.deepEqual(
      [event?.type, event?.projectId, event?.actor, event?.data],
      ['project.created', project.id, by, { slug: 'site' }],
    )
  })

  test('of many with one slug, in any account, one succeeds and the others leave nothing behind', async () => {
    await using database = await open()
    using projects = await startProjects(database)
    const other = await projects.addAccount()
    const attempts = Array.from({ length: 10 }, (_, n) =>
      projects.create('site', n % 2 ? other.id : undefined),
    )
    const outcomes = await Promise.allSettled(attempts)
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    assert.deepEqual(
      refused.map(({ reason }) => reason.code),
      Array(9).fill('slug_taken'),
    )
    const events = await database.read.selectFrom('events').select('type').execute()
    assert.equal(events.filter(({ type }) => type === 'project.created').length, 1)
  })
})
