import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { keptDeployments } from '@masthead/contract/deployment-states.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { activateDeployment } from './activate-deployment.ts'
import { by, startPublishing } from './deployments.test-kit.ts'
import type { DeploymentRow } from './store.ts'

onEachDatabase('retention', ({ open }) => {
  test('the last ten are kept, and an old one as long as it is served', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    const ids = async () => {
      const rows = await database.read.selectFrom('deployments').select('id').orderBy('id').execute()
      return rows.map(({ id }) => id)
    }
    const first = await publishing.publish({ '/a.html': '0' })
    const later: DeploymentRow['id'][] = []
    for (let count = 1; count <= keptDeployments + 2; count++) {
      later.push((await publishing.publish({ '/a.html': String(count) }, { activate: false })).id)
    }
    assert.deepEqual(await ids(), [first.id, ...later.slice(-keptDeployments)])
    assert.deepEqual(await publishing.contents(first), { '/a.html': '0' })

    const { deployment: uploading } = await publishing.announce({ '/a.html': 'on its way' })
    const [oldest] = later.slice(-keptDeployments)
    assert.ok(oldest)
    await activateDeployment(context, { project, deploymentId: oldest, by })
    const last = await publishing.publish({ '/a.html': 'last' }, { activate: false })
    assert.deepEqual(await ids(), [...later.slice(-keptDeployments), uploading.id, last.id])
  })

  test('previews of what was removed end at once', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    for (let count = 0; count <= keptDeployments; count++) {
      publishing.heard.length = 0
      await publishing.publish({ '/a.html': String(count) }, { activate: false })
    }
    assert.deepEqual(publishing.heard, [{ kind: 'project', subject: 'site' }])
  })

  test('a deployment that is being rolled back to is not removed under it', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    const oldest = await publishing.publish({ '/a.html': '0' })
    for (let count = 1; count < keptDeployments; count++)
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
