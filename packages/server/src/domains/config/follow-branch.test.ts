import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { by, startDomains } from '../domains.test-kit.ts'
import { findRoute } from '../read.ts'
import { putConfig } from './change-config.ts'
import { followBranch } from './follow-branch.ts'

const platform = 'masthead.localhost'
const hostname = 'next.acme.com'

onEachDatabase('a domain that follows a branch', ({ open }) => {
  test('says so to the edge, until it shows what is live again', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, project } = domains
    const follow = (branch: string | null) => followBranch(context, { project, hostname, branch, by })
    const route = () => findRoute(context, hostname, platform)
    await domains.prove(await domains.add(hostname))
    const live = { kind: 'site', slug: 'acme' }
    for (const branch of ['next', 'feature/Größe', '--', 'x'.repeat(255)]) {
      const heard = await domains.heardDuring(() => follow(branch))
      assert.deepEqual(heard, [`domain ${hostname}`])
      assert.deepEqual(await route(), { ...live, branch })
      assert.deepEqual(await domains.events(1), [
        { type: 'domain.branch_changed', data: { hostname, branch } },
      ])
      assert.deepEqual(await domains.heardDuring(() => follow(branch)), [], 'nothing changes twice')
    }
    // The production branch is what is live.
    assert.equal((await follow('main')).branch, null)
    assert.deepEqual(await route(), live)
    assert.equal((await follow(null)).branch, null)
  })

  test('redirects if it has a redirect, and shows what is live in another project', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, project } = domains
    await domains.prove(await domains.add(hostname))
    await domains.prove(await domains.add('acme.com'))
    await followBranch(context, { project, hostname, branch: 'next', by })
    const redirects = [{ from: hostname, to: 'acme.com', status: 301 as const }]
    await putConfig(context, { project, input: { domains: { primary: 'acme.com', redirects } }, by })
    assert.equal((await findRoute(context, hostname, platform))?.kind, 'redirect')
    const other = await domains.addPublished('other', domains.account.id)
    await domains.add(hostname, { to: other, move: true })
    assert.deepEqual(await findRoute(context, hostname, platform), { kind: 'site', slug: 'other' })
    const gone = followBranch(context, { project, hostname, branch: 'next', by })
    await assert.rejects(gone, { code: 'not_found' })
  })
})
