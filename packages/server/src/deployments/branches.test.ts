import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { bareId } from '../kernel/ids.ts'
import { changeProject } from '../projects/change-project.ts'
import { by, startPublishing } from './deployments.test-kit.ts'
import { findSite } from './read.ts'
import { deleteDeployment } from './remove-deployments.ts'

onEachDatabase('addresses of branches', ({ open }) => {
  async function start() {
    const database = await open()
    const publishing = await startPublishing(database)
    const at = async (label: string, slug = 'site') =>
      (await findSite(publishing.context, { kind: 'preview', deployment: label, slug }))?.deploymentId ?? null
    const publish = (branch: string, content: string) =>
      publishing.publish({ '/index.html': content }, { meta: { branch } })
    return {
      ...publishing,
      publishing,
      at,
      publish,
      async [Symbol.asyncDispose]() {
        await publishing[Symbol.asyncDispose]()
        await database[Symbol.asyncDispose]()
      },
    }
  }

  test('show the newest ready deployment, and the one before it once that is deleted', async () => {
    await using site = await start()
    assert.equal(await site.at('feature-login'), null)
    site.heard.length = 0
    const first = await site.publish('feature/login', '1')
    assert.equal(first.branch_label, 'feature-login')
    assert.equal(await site.at('feature-login'), first.id)
    assert.deepEqual(site.heard, [{ kind: 'project', subject: 'site' }], 'edges look again')
    const second = await site.publish('feature/login', '2')
    await site.announce({ '/index.html': '3' }, site.project, site.context, { branch: 'feature/login' })
    assert.equal(await site.at('feature-login'), second.id)
    const { context, project } = site
    await deleteDeployment(context, { project, deploymentId: second.id, by })
    assert.equal(await site.at('feature-login'), first.id)
  })

  test('a domain finds a branch by its name, and nothing while it has no deployment', async () => {
    await using site = await start()
    const { context, project } = site
    const named = (branch: string) => findSite(context, { kind: 'branch', slug: 'site', branch })
    const [slash, dash] = [await site.publish('a/b', '1'), await site.publish('a-b', '2')]
    assert.equal((await named('a/b'))?.deploymentId, slash.id)
    assert.equal((await named('a-b'))?.deploymentId, dash.id)
    await deleteDeployment(context, { project, deploymentId: slash.id, by })
    const empty = await named('a/b')
    assert.deepEqual([empty?.deploymentId, empty?.emptyBranch], [null, 'a/b'])
    assert.equal(await findSite(context, { kind: 'branch', slug: 'unknown', branch: 'a-b' }), null)
  })

  test('only the production branch goes live unless asked', async () => {
    await using site = await start()
    const live = async () =>
      (await findSite(site.context, { kind: 'project', slug: 'site' }))?.deploymentId ?? null
    await site.publish('feature', '1')
    await site.publish('Main', '1')
    assert.equal(await live(), null)
    const main = await site.publish('main', '2')
    assert.equal(await live(), main.id)
    assert.equal(await site.at('main'), main.id)
    const asked = await site.publishing.publish(
      { '/index.html': '3' },
      { activate: true, meta: { branch: 'feature' } },
    )
    assert.equal(await live(), asked.id)
    const { context, project } = site
    await changeProject(context, { project, change: { productionBranch: 'trunk' }, by })
    await site.publish('main', '4')
    assert.equal(await live(), asked.id)
    const trunk = await site.publish('trunk', '5')
    assert.equal(await live(), trunk.id)
  })

  test('differ for branches that are spelled alike, at once and later, and stay the same', async () => {
    await using site = await start()
    const spellings = ['a/b', 'a-b', 'A/B', 'a_b', 'a--b', 'ä/a/b']
    const together = await Promise.all(spellings.map((branch) => site.publish(branch, branch)))
    const labels = together.map((row) => row.branch_label)
    assert.equal(new Set(labels).size, spellings.length, labels.join())
    assert.ok(labels.includes('a-b'))
    for (const [n, label] of labels.entries()) assert.equal(await site.at(label ?? ''), together[n]?.id)
    const { context, project } = site
    const [holder] = together.filter((row) => row.branch_label === 'a-b')
    assert.ok(holder)
    await deleteDeployment(context, { project, deploymentId: holder.id, by })
    for (const { branch, branch_label } of together.filter((row) => row !== holder)) {
      assert.equal((await site.publish(branch ?? '', 'again')).branch_label, branch_label)
    }
  })

  test('never show another project, nor stand in for a deployment', async () => {
    await using site = await start()
    const other = await site.addProject('b-site', site.account.id)
    const one = await site.publish('a', 'mine')
    const theirs = await site.publishing.publish(
      { '/index.html': 'theirs' },
      { of: other, meta: { branch: 'a' } },
    )
    assert.equal(await site.at('a'), one.id)
    assert.equal(await site.at('a', 'b-site'), theirs.id)
    assert.equal(await site.at(bareId(theirs.id)), null, 'a deployment of another project')
    const taking = await site.publish(bareId(one.id), 'in disguise')
    assert.equal(await site.at(bareId(one.id)), one.id)
    assert.equal(await site.at(taking.branch_label ?? ''), taking.id)
  })

  test('that no longer fit after a longer slug get a shorter label with the next deployment', async () => {
    await using site = await start()
    const branch = 'x'.repeat(50)
    assert.equal((await site.publish(branch, '1')).branch_label, branch)
    const { context, project } = site
    const slug = 's'.repeat(40)
    await changeProject(context, { project, change: { slug }, by })
    const next = await site.publish(branch, '2')
    assert.match(next.branch_label ?? '', /^x{12}-[0-9a-f]{8}$/)
    assert.equal(await site.at(next.branch_label ?? '', slug), next.id)
  })
})
