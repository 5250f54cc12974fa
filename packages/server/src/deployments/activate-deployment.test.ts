import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { listEvents } from '../events/list-events.ts'
import { changeProject } from '../projects/change-project.ts'
import { activateDeployment } from './activate-deployment.ts'
import { by, startPublishing } from './deployments.test-kit.ts'
import { findSite } from './read.ts'

onEachDatabase('activating', ({ open }) => {
  test('rolling back serves the earlier deployment and is reported', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    const first = await publishing.publish({ '/a.html': 'A' })
    const second = await publishing.publish({ '/a.html': 'B' })
    assert.equal(await publishing.active(), second.id)

    publishing.clock.at += 1000
    publishing.heard.length = 0
    const row = await activateDeployment(context, { project, deploymentId: first.id, by })
    assert.equal(row.activated_at, publishing.clock.at)
    assert.deepEqual(publishing.heard, [{ kind: 'project', subject: 'site' }])
    const site = await findSite(context, { kind: 'project', slug: 'site' })
    assert.equal(site?.deploymentId, first.id)
    const [event] = (await listEvents(context, publishing.account.id, { limit: 1 })).items
    assert.deepEqual(
      [event?.type, event?.data, event?.actor],
      ['deployment.activated', { deploymentId: first.id }, by],
    )
  })

  test('a deployment that is not ready, or not of this project, is refused and nothing changes', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    const first = await publishing.publish({ '/a.html': 'A' })
    const other = await publishing.addProject('other', publishing.account.id)
    const foreign = await publishing.publish({ '/a.html': 'A' }, { of: other })
    const { deployment: unready } = await publishing.announce({ '/a.html': 'B' })
    publishing.heard.length = 0
    const activate = (deploymentId: typeof first.id) =>
      activateDeployment(context, { project, deploymentId, by })
    await assert.rejects(activate(unready.id), { code: 'deployment_not_ready' })
    await assert.rejects(activate(foreign.id), { code: 'not_found' })
    await assert.rejects(activate('dpl_00000000000000000000'), { code: 'not_found' })
    assert.equal(await publishing.active(), first.id)
    assert.deepEqual(publishing.heard, [])
  })

  test('of many simultaneous activations, the last recorded one wins', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    const deployments = []
    for (const content of ['A', 'B', 'C', 'D'])
      deployments.push(await publishing.publish({ '/a.html': content }))
    await Promise.all(
      deployments.flatMap(({ id: deploymentId }) => [
        activateDeployment(context, { project, deploymentId, by }),
        changeProject(context, { project, by, change: { name: deploymentId } }),
      ]),
    )
    const changes = await database.read
      .selectFrom('changes')
      .selectAll()
      .where('kind', '=', 'project')
      .execute()
    const site = await findSite(context, { kind: 'project', slug: 'site' })
    assert.ok(deployments.some(({ id }) => id === site?.deploymentId))
    assert.equal(changes.length, 1 + 4 + 8)
  })

  test('activation after a rename reports the new slug', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    const { id: deploymentId } = await publishing.publish({ '/a.html': 'A' }, { activate: false })
    await changeProject(context, { project, by, change: { slug: 'renamed' } })
    publishing.heard.length = 0
    // With the project as read before the rename, as in a request that started earlier.
    await activateDeployment(context, { project, deploymentId, by })
    assert.deepEqual(publishing.heard, [{ kind: 'project', subject: 'renamed' }])
  })
})
