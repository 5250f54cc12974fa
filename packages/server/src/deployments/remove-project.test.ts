import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { listEvents } from '../events/list-events.ts'
import { by, removeProject, startPublishing } from './deployments.test-kit.ts'
import { findSite } from './read.ts'
import { sweep } from './sweep.ts'

onEachDatabase('removing a project', ({ open }) => {
  test('it is served no more, its files go with the sweep, and those of others stay', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    const other = await publishing.addProject('other', publishing.account.id)
    await publishing.publish({ '/a.html': 'A', '/shared.html': 'shared' })
    const kept = await publishing.publish({ '/b.html': 'B', '/shared.html': 'shared' }, { of: other })
    publishing.heard.length = 0
    await removeProject(context, { project, by })
    assert.deepEqual(publishing.heard, [{ kind: 'project', subject: 'site' }])
    assert.equal(await findSite(context, { kind: 'project', slug: 'site' }), null)
    const [event] = (await listEvents(context, publishing.account.id, { limit: 1 })).items
    assert.deepEqual([event?.type, event?.data], ['project.deleted', { slug: 'site' }])

    await sweep(context)
    assert.deepEqual(await publishing.contents(kept), { '/b.html': 'B', '/shared.html': 'shared' })
    assert.equal((await publishing.onDisk()).length, 3)
  })

  test('the second of two removals finds nothing to remove', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    const outcomes = await Promise.allSettled([
      removeProject(context, { project, by }),
      removeProject(context, { project, by }),
    ])
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    const { items } = await listEvents(context, publishing.account.id, { limit: 100 })
    assert.equal(items.filter(({ type }) => type === 'project.deleted').length, 1)
  })

  test('its slug is free again', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    await removeProject(context, { project, by })
    const again = await publishing.addProject('site', publishing.account.id)
    assert.notEqual(again.id, project.id)
  })
})
