import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { retainedDeployments } from '@masthead/contract/deployments.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { listEvents } from '../events/list-events.ts'
import { activateDeployment } from './activate-deployment.ts'
import { by, removeProject, startPublishing } from './deployments.test-kit.ts'
import { findSite } from './read.ts'
import type { DeploymentRow } from './store.ts'
import { sweep } from './sweep/sweep.ts'

onEachDatabase('retention', ({ open }) => {
  test('the latest ten are kept, and an older one while it is live', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    const ids = async () => {
      const rows = await database.read.selectFrom('deployments').select('id').orderBy('id').execute()
      return rows.map(({ id }) => id)
    }
    const first = await publishing.publish({ '/a.html': '0' })
    const later: DeploymentRow['id'][] = []
    for (let count = 1; count <= retainedDeployments + 2; count++) {
      later.push((await publishing.publish({ '/a.html': String(count) }, { activate: false })).id)
    }
    assert.deepEqual(await ids(), [first.id, ...later.slice(-retainedDeployments)])
    assert.deepEqual(await publishing.contents(first), { '/a.html': '0' })

    const { deployment: uploading } = await publishing.announce({ '/a.html': 'on its way' })
    const [oldest] = later.slice(-retainedDeployments)
    assert.ok(oldest)
    await activateDeployment(context, { project, deploymentId: oldest, by })
    const last = await publishing.publish({ '/a.html': 'last' }, { activate: false })
    // One would roll back to the first.
    const kept = [first.id, ...later.slice(-retainedDeployments)]
    assert.deepEqual(await ids(), [...kept, uploading.id, last.id])
  })

  test('previews of removed deployments stop immediately', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    for (let count = 0; count <= retainedDeployments; count++) {
      publishing.heard.length = 0
      await publishing.publish({ '/a.html': String(count) }, { activate: false })
    }
    assert.deepEqual(publishing.heard, [{ kind: 'project', subject: 'site' }])
  })

  test('a deployment is not removed during a rollback to it', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    const oldest = await publishing.publish({ '/a.html': '0' })
    for (let count = 1; count < retainedDeployments; count++)
      await publishing.publish({ '/a.html': String(count) })
    const { deployment: surplus } = await publishing.announce({ '/a.html': '0' })

    const reached = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const record: typeof context.changes.record = async (...change) => {
      reached.resolve()
      await goOn.promise
      return context.changes.record(...change)
    }
    const slow = { ...context, changes: { ...context.changes, record } }
    const rollBack = activateDeployment(slow, { project, deploymentId: oldest.id, by })
    await reached.promise
    const finalizing = publishing.finalize(surplus, { activate: false })
    await sleep(100)
    goOn.resolve()
    await Promise.all([rollBack, finalizing])
    assert.equal(await publishing.active(), oldest.id)
    assert.deepEqual(await publishing.contents(oldest), { '/a.html': '0' })
    assert.ok(await publishing.find(oldest.id))
  })
})

onEachDatabase('removing a project', ({ open }) => {
  test('it is no longer served, the sweep removes its files, and those of others stay', async () => {
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

  test('the second of two removals finds nothing', async () => {
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
