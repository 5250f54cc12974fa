import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { removeDomain } from '../claims/remove-domain.ts'
import { by, type Domains, startDomains } from '../domains.test-kit.ts'
import { listTimeline } from '../timeline/timeline.ts'
import { putConfig } from './change-config.ts'
import type { NamedConfig } from './domain-config.ts'
import { followBranch } from './follow-branch.ts'

const own = 'acme.masthead.localhost'

function put({ context, project }: Domains, primary: string, ...redirects: NamedConfig['redirects']) {
  return putConfig(context, { project, input: { domains: { primary, redirects } }, by })
}

/** What happened to a name since it was added, oldest first. */
async function timelineOf({ context, account }: Domains, hostname: string) {
  const { items } = await listTimeline(context, { account_id: account.id, hostname }, { limit: 20 })
  return items
    .toReversed()
    .slice(1)
    .map(({ kind, data }) => ({ kind, ...data }))
}

onEachDatabase('the timeline of configured domains', ({ open }) => {
  test('records what was and what is, if something changed', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, project } = domains
    for (const name of ['acme.com', 'old.com', 'next.com', 'quiet.com']) await domains.add(name)
    await put(domains, 'acme.com', { from: 'old.com', to: 'acme.com', status: 301 })
    await put(domains, 'acme.com', { from: 'old.com', to: 'acme.com', status: 308 })
    await put(domains, own, { from: 'old.com', to: own, status: 308 })
    await put(domains, own, { from: 'old.com', to: own, status: 308 })
    await put(domains, own)
    for (const branch of ['next', 'next', 'beta', 'main'])
      await followBranch(context, { project, hostname: 'next.com', branch, by })
    assert.deepEqual(await timelineOf(domains, 'acme.com'), [
      { kind: 'primary_changed', was: own, is: 'acme.com' },
      { kind: 'primary_changed', was: 'acme.com', is: own },
    ])
    const to = (name: string, status: number) => ({ to: name, status })
    assert.deepEqual(await timelineOf(domains, 'old.com'), [
      { kind: 'redirect_changed', was: null, is: to('acme.com', 301) },
      { kind: 'redirect_changed', was: to('acme.com', 301), is: to('acme.com', 308) },
      { kind: 'redirect_changed', was: to('acme.com', 308), is: to(own, 308) },
      { kind: 'redirect_changed', was: to(own, 308), is: null },
    ])
    assert.deepEqual(await timelineOf(domains, 'next.com'), [
      { kind: 'branch_changed', was: null, is: 'next' },
      { kind: 'branch_changed', was: 'next', is: 'beta' },
      { kind: 'branch_changed', was: 'beta', is: null },
    ])
    assert.deepEqual(await timelineOf(domains, 'quiet.com'), [])
  })

  test('records the redirects, the primary domain and the branch that end with a removal or a move', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, project, account } = domains
    const other = await domains.addPublished('other', account.id)
    for (const name of ['acme.com', 'old.com', 'moved.com']) await domains.add(name)
    await put(
      domains,
      'acme.com',
      { from: 'old.com', to: 'acme.com', status: 301 },
      { from: 'moved.com', to: 'acme.com', status: 302 },
    )
    await followBranch(context, { project, hostname: 'moved.com', branch: 'next', by })
    await domains.add('moved.com', { to: other, move: true })
    await removeDomain(context, { project, hostname: 'acme.com', by })
    const redirected = { kind: 'redirect_changed', was: { to: 'acme.com', status: 302 }, is: null }
    assert.deepEqual((await timelineOf(domains, 'moved.com')).slice(2), [
      redirected,
      { kind: 'branch_changed', was: 'next', is: null },
      { kind: 'moved', from: 'acme', to: 'other' },
    ])
    assert.deepEqual((await timelineOf(domains, 'acme.com')).slice(1), [
      { kind: 'primary_changed', was: 'acme.com', is: own },
      { kind: 'removed' },
    ])
    assert.deepEqual((await timelineOf(domains, 'old.com')).slice(1), [
      { ...redirected, was: { to: 'acme.com', status: 301 } },
    ])
  })
})
