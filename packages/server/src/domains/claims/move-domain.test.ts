import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { Problem } from '../../kernel/problem.ts'
import { putConfig } from '../config/change-config.ts'
import { readConfig } from '../config/read-config.ts'
import type { DomainRow } from '../domain.ts'
import { by, startDomains } from '../domains.test-kit.ts'
import { findRoute } from '../read.ts'
import { findDomainOfAccount } from '../store.ts'
import { removeDomain } from './remove-domain.ts'

const platform = 'masthead.localhost'

onEachDatabase('moving a domain', ({ open }) => {
  test('it has to be requested, and the error says where the domain is', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const other = await domains.addPublished('other', domains.account.id)
    await domains.add('acme.com')
    await assert.rejects(domains.add('acme.com', { to: other }), (error: unknown) => {
      assert.ok(error instanceof Problem)
      assert.deepEqual([error.code, error.extra], ['domain_on_other_project', { project: 'acme' }])
      return true
    })
  })

  test('the domain keeps its state, and is served by the other project without a gap', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, project } = domains
    const other = await domains.addPublished('other', domains.account.id)
    const row = await domains.prove(await domains.add('acme.com'))
    const redirects = [{ from: 'acme.masthead.localhost', to: 'acme.com', status: 301 as const }]
    await putConfig(context, { project, input: { domains: { primary: 'acme.com', redirects } }, by })

    const heard = await domains.heardDuring(() => domains.add('acme.com', { to: other, move: true }))
    assert.deepEqual(heard, ['domain acme.com', 'project acme'])
    assert.deepEqual({ ...(await domains.current(row)) }, { ...row, project_id: other.id })
    assert.deepEqual(await findRoute(context, 'acme.com', platform), { kind: 'site', slug: 'other' })
    const left = await readConfig(context, project)
    assert.deepEqual(left, { domains: { primary: 'acme.masthead.localhost', redirects: [] } })
    const data = { hostname: 'acme.com', from: 'acme', to: 'other' }
    assert.deepEqual(await domains.events(1), [{ type: 'domain.moved', data }])
  })

  test('no domain can be moved to a full project', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const other = await domains.addPublished('other', domains.account.id)
    for (let index = 0; index < 20; index++) await domains.add(`n${index}.acme.com`, { to: other })
    await domains.add('acme.com')
    const moved = domains.add('acme.com', { to: other, move: true })
    await assert.rejects(moved, { code: 'domain_limit_reached' })
  })

  test('concurrent moves and a removal do not deadlock', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, project } = domains
    const other = await domains.addPublished('other', domains.account.id)
    const a = await domains.add('a.acme.com')
    const b = await domains.add('b.acme.com', { to: other })
    const results = await Promise.allSettled([
      domains.add('a.acme.com', { to: other, move: true }),
      domains.add('b.acme.com', { move: true }),
      removeDomain(context, { project, hostname: 'a.acme.com', by }),
      removeDomain(context, { project: other, hostname: 'b.acme.com', by }),
    ])
    for (const result of results) {
      if (result.status === 'rejected') assert.ok(result.reason instanceof Problem, String(result.reason))
    }
    const [aCame, bCame, aRemoved, bRemoved] = results.map(({ status }) => status === 'fulfilled')
    const end = async ({ hostname, id }: DomainRow) => {
      const row = await findDomainOfAccount(database.read, domains.account.id, hostname)
      return [row?.project_id, row?.id === id]
    }
    // The removal either finds the domain before its move, which then adds it again, or comes too late.
    assert.deepEqual([aCame, bCame], [true, true])
    assert.deepEqual(await end(a), [other.id, !aRemoved])
    assert.deepEqual(await end(b), [project.id, !bRemoved])
  })
})
