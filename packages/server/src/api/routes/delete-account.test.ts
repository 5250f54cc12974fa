import assert from 'node:assert/strict'
import type { DeletedAccount } from '@masthead/contract/schemas/account.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { Session } from '@masthead/contract/schemas/people.ts'
import type { ProblemDocument } from '@masthead/contract/schemas/problem-document.ts'
import { forgetDeletedAccounts } from '../../accounts/account-lifecycle.ts'
import type { Database } from '../../database/database.ts'
import { overlap } from '../../database/interleave.test-kit.ts'
import { removeLeftovers } from '../../domains/claims/delete-account.ts'
import { findSite } from '../../domains/read.ts'
import { day } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { readOutbox } from '../../webhooks/delivery/outbox.ts'
import { dueQueues } from '../../webhooks/delivery/queue-store.ts'
import { removeAllWebhooks } from '../../webhooks/manage-webhooks.ts'
import { type ApiUnderTest, type Caller, nobody, onEachApi } from '../api.test-kit.ts'

async function furnished(api: ApiUnderTest) {
  const { id } = await api.newAccount('Acme', 'pro')
  const owner = await api.newPerson(id, 'owner')
  const key = await api.newKey(id, ['read', 'deploy', 'domains', 'admin'])
  for (const slug of ['one', 'two']) await api.send('POST /v1/projects', key.caller, { json: { slug } })
  const site = (slug: string) => findSite(api.context, { kind: 'project', slug }, 'masthead.localhost')
  return { id, owner, key, site }
}

/** As if it had been verified and probed. */
async function liveDomain(api: ApiUnderTest, id: string, slug: string, hostname: string) {
  const { database } = api.context
  const project = await database.read
    .selectFrom('projects')
    .selectAll()
    .where('slug', '=', slug)
    .executeTakeFirstOrThrow()
  const at = api.clock.at
  await database.write((tx) =>
    tx
      .insertInto('domains')
      .values({
        id: 'dom_06d8f2k4m9q1s7x3b5n0',
        account_id: id as 'acc_',
        project_id: project.id,
        hostname,
        kind: 'subdomain',
        state: 'live',
        state_before: null,
        held: 1,
        target: 'target',
        challenge: 'challenge',
        created_at: at,
        verified_at: at,
        live_at: at,
        searching_since: at,
        asked_at: at,
        state_since: at,
        next_check_at: null,
        lease_owner: null,
        lease_until: 0,
        last_check: null,
        probe: null,
      })
      .execute(),
  )
}

/** How many rows each transaction leaves. */
function noteLeft(database: Database, table: 'events' | 'webhook_deliveries'): number[] {
  const left: number[] = []
  const { write } = database
  database.write = (work) =>
    write(async (tx) => {
      const result = await work(tx)
      left.push((await tx.selectFrom(table).select('id').execute()).length)
      return result
    })
  return left
}

function assertSmallSteps(left: readonly number[]): void {
  const steps = left.slice(1).map((rows, n) => (left[n] ?? 0) - rows)
  assert.ok(Math.max(...steps) <= 1_000, String(left))
  assert.equal(left.at(-1), 0)
}

const remove = (api: ApiUnderTest, as: Caller, query: string) =>
  api.send<DeletedAccount & ProblemDocument & { domains?: string[] }>(`DELETE /v1/account?${query}`, as)

onEachApi('deleting an account', (test) => {
  test('takes an owner who types its name; a key cannot do it', async (api) => {
    const { id, owner, key } = await furnished(api)
    const developer = await api.newPerson(id, 'developer')
    assert.equal((await remove(api, key.caller, 'name=Acme')).status, 403)
    assert.equal((await remove(api, developer.caller, 'name=Acme')).status, 403)
    assert.equal((await remove(api, nobody, 'name=Acme')).status, 401)
    for (const query of ['', 'name=', 'name=acme', 'name=Acm', 'name=Acme&removeDomains=yes']) {
      assert.equal((await remove(api, owner.caller, query)).status, 422, query)
    }
    assert.equal((await api.send('GET /v1/projects', key.caller)).status, 200)
  })

  test('removes its projects, keys and memberships immediately, and keeps its activity for 30 days', async (api) => {
    const { id, owner, key, site } = await furnished(api)
    const { database } = api.context
    await api.send('POST /v1/invitations', owner.caller, { json: { email: 'a@b.example', role: 'owner' } })
    const deleted = await remove(api, owner.caller, 'name=Acme')
    assert.equal(deleted.status, 200)
    assert.equal(deleted.body.keptUntil, new Date(api.clock.at + 30 * day).toISOString())
    assert.equal((await api.send('GET /v1/projects', key.caller)).status, 401)
    const session = await api.send<Session>('GET /v1/session', owner.caller)
    assert.deepEqual([session.status, session.body.account, session.body.accounts], [200, null, []])
    assert.deepEqual([await site('one'), await site('two')], [null, null])
    const accounts = await api.send<Page<{ id: string }>>('GET /v1/operator/accounts', api.operator)
    assert.deepEqual(accounts.body.items, [])
    for (const table of ['invitations', 'keys', 'members', 'projects'] as const) {
      const left = await database.read.selectFrom(table).selectAll().where('account_id', '=', id).execute()
      assert.deepEqual(left, [], table)
    }
    const other = await api.newAccount('Other')
    const stranger = await api.newKey(other.id, ['deploy'])
    const claim = () => api.send('POST /v1/projects', stranger.caller, { json: { slug: 'one' } })
    assert.equal((await claim()).body.code, 'slug_taken')
    await forgetDeletedAccounts(api.context)
    const events = () =>
      database.read.selectFrom('events').select('type').where('account_id', '=', id).execute()
    assert.ok((await events()).some(({ type }) => type === 'account.deleted'))
    api.clock.at += 30 * day
    await forgetDeletedAccounts(api.context)
    assert.deepEqual(await events(), [])
    assert.equal((await claim()).status, 201)
  })

  test('is refused while domains are live, unless they are removed explicitly', async (api) => {
    const { id, owner } = await furnished(api)
    await liveDomain(api, id, 'one', 'www.acme.example')
    const refused = await remove(api, owner.caller, 'name=Acme')
    assert.deepEqual([refused.status, refused.body.code], [409, 'account_has_domains'])
    assert.deepEqual(refused.body.domains, ['www.acme.example'])
    const heard: unknown[] = []
    api.context.changes.subscribe((change) => heard.push(change))
    assert.equal((await remove(api, owner.caller, 'name=Acme&removeDomains=true')).status, 200)
    assert.ok(JSON.stringify(heard).includes('{"kind":"domain_stopped","subject":"www.acme.example"}'))
  })

  test('removes somebody who is joining meanwhile', async (api) => {
    const { id, owner } = await furnished(api)
    const { database } = api.context
    const json = { email: 'grace@example.com', role: 'owner' }
    const { body } = await api.send<{ url: string }>('POST /v1/invitations', owner.caller, { json })
    const joining = { token: body.url.split('#')[1], name: 'Grace', password: 'a ship in port is safe' }
    const [joined, deleted] = await overlap(
      database,
      () => api.send('POST /v1/invitations/accept', nobody, { json: joining }),
      () => remove(api, owner.caller, 'name=Acme'),
    )
    assert.deepEqual([joined.status, deleted.status], [201, 200])
    const left = await database.read.selectFrom('members').selectAll().where('account_id', '=', id).execute()
    assert.deepEqual(left, [])
  })

  test('keeps out a member that an earlier version left in it', async (api) => {
    const { id, owner } = await furnished(api)
    assert.equal((await remove(api, owner.caller, 'name=Acme')).status, 200)
    const member = await api.newPerson(id, 'owner')
    const session = await api.send<Session>('GET /v1/session', member.caller)
    assert.deepEqual([session.body.account, session.body.accounts], [null, []])
    const refused = await api.send('POST /v1/projects', member.caller, { json: { slug: 'late' } })
    assert.deepEqual([refused.status, refused.body.code], [403, 'no_account'])
  })

  test('is completed after a crash, and nothing is served meanwhile', async (api) => {
    const { id, site } = await furnished(api)
    await api.context.database.write((tx) =>
      tx.updateTable('accounts').set({ deleted_at: api.clock.at }).where('id', '=', id).execute(),
    )
    assert.equal(await site('one'), null)
    await removeLeftovers(api.context)
    const left = await api.context.database.read.selectFrom('projects').select('slug').execute()
    assert.deepEqual(left, [])
  })

  test('is answered as usual if the job removes its projects at the same time', async (api) => {
    const { owner } = await furnished(api)
    const { database } = api.context
    const { write } = database
    database.write = async (work) => {
      const projects = await database.read.selectFrom('projects').select('id').execute()
      if (projects.length === 1) {
        database.write = write
        await removeLeftovers(api.context)
      }
      return write(work)
    }
    assert.equal((await remove(api, owner.caller, 'name=Acme')).status, 200)
    assert.equal(database.write, write)
    assert.deepEqual(await database.read.selectFrom('projects').select('id').execute(), [])
  })

  test('deletes its activity in small transactions', async (api) => {
    const { id, owner } = await furnished(api)
    const { database } = api.context
    assert.equal((await remove(api, owner.caller, 'name=Acme')).status, 200)
    const event = await database.read.selectFrom('events').selectAll().executeTakeFirstOrThrow()
    const { kind: _, ...row } = event
    await database.write(async (tx) => {
      for (let n = 0; n < 3; n++) {
        const rows = Array.from({ length: 200 }, () => ({ ...row, id: newId('event', api.clock.at) }))
        await tx.insertInto('events').values(rows).execute()
      }
    })
    const count = async () => {
      const events = database.read.selectFrom('events').select('id').where('account_id', '=', id)
      return (await events.execute()).length
    }
    const left = [await count()]
    const { write } = database
    database.write = async (work) => {
      const result = await write(work)
      left.push(await count())
      return result
    }
    api.clock.at += 30 * day
    await forgetDeletedAccounts(api.context)
    assert.equal(left.at(-1), 0)
    assert.ok(
      left.every((rows, n) => n === 0 || (left[n - 1] ?? 0) - rows <= 200),
      String(left),
    )
  })

  test('deletes its activity in small transactions also if two nodes do it', async (api) => {
    const { id } = await furnished(api)
    const { database } = api.context
    const event = await database.read.selectFrom('events').selectAll().executeTakeFirstOrThrow()
    const { kind: _, ...row } = event
    await database.write(async (tx) => {
      await tx.deleteFrom('projects').execute()
      await tx.deleteFrom('events').execute()
      for (let n = 0; n < 10; n++) {
        const rows = Array.from({ length: 500 }, () => ({ ...row, id: newId('event', api.clock.at) }))
        await tx.insertInto('events').values(rows).execute()
      }
      await tx.updateTable('accounts').set({ deleted_at: api.clock.at }).where('id', '=', id).execute()
    })
    const left = noteLeft(database, 'events')
    api.clock.at += 30 * day
    const forget = () => forgetDeletedAccounts(api.context)
    await overlap(database, forget, forget)
    assertSmallSteps([5_000, ...left])
  })

  test('deletes deliveries of its webhooks in small transactions, and sends none of them after a crash', async (api) => {
    const { owner, key } = await furnished(api)
    const { database } = api.context
    const json = { url: 'http://localhost:3000/hook' }
    assert.equal((await api.send('POST /v1/webhooks', key.caller, { json })).status, 201)
    while (await readOutbox(api.context));
    const row = await database.read.selectFrom('webhook_deliveries').selectAll().executeTakeFirstOrThrow()
    const queue = await database.read.selectFrom('webhook_queues').selectAll().executeTakeFirstOrThrow()
    await database.write(async (tx) => {
      for (let n = 0; n < 500; n++) {
        const resource = `resource ${n}`
        await tx
          .insertInto('webhook_queues')
          .values({ ...queue, resource })
          .execute()
        const delivery = { ...row, id: newId('delivery', api.clock.at), resource }
        await tx.insertInto('webhook_deliveries').values(delivery).execute()
      }
    })
    const count = async () =>
      (await database.read.selectFrom('webhook_deliveries').select('id').execute()).length +
      (await database.read.selectFrom('webhook_queues').select('resource').execute()).length
    const left = [await count()]
    const { write } = database
    database.write = async (work) => {
      if (left.length === 4) throw new Error('killed')
      const result = await write(work)
      left.push(await count())
      return result
    }
    assert.equal((await remove(api, owner.caller, 'name=Acme')).status, 500)
    database.write = write
    const due = { now: api.clock.at + day, perWebhook: 4, most: 10, without: [] }
    assert.ok((left.at(-1) ?? 0) > 0)
    assert.deepEqual(await dueQueues(database, due), [])
    database.write = async (work) => {
      const result = await write(work)
      left.push(await count())
      return result
    }
    await removeLeftovers(api.context)
    assert.equal(left.at(-1), 0)
    assert.ok(
      left.every((rows, n) => n === 0 || (left[n - 1] ?? 0) - rows <= 400),
      String(left),
    )
    assert.deepEqual(await database.read.selectFrom('webhooks').select('id').execute(), [])
  })

  test('deletes deliveries in small transactions also if two processes do it', async (api) => {
    const { id, key } = await furnished(api)
    const { database } = api.context
    const json = { url: 'http://localhost:3000/hook' }
    assert.equal((await api.send('POST /v1/webhooks', key.caller, { json })).status, 201)
    while (await readOutbox(api.context));
    const row = await database.read.selectFrom('webhook_deliveries').selectAll().executeTakeFirstOrThrow()
    await database.write(async (tx) => {
      await tx.deleteFrom('webhook_deliveries').execute()
      await tx.deleteFrom('webhook_queues').execute()
      for (let n = 0; n < 5; n++) {
        const rows = Array.from({ length: 1_000 }, () => ({ ...row, id: newId('delivery', api.clock.at) }))
        for (let from = 0; from < 1_000; from += 500)
          await tx
            .insertInto('webhook_deliveries')
            .values(rows.slice(from, from + 500))
            .execute()
      }
      await tx.updateTable('accounts').set({ deleted_at: api.clock.at }).where('id', '=', id).execute()
    })
    const left = noteLeft(database, 'webhook_deliveries')
    const removeAll = () => removeAllWebhooks(api.context, id)
    await overlap(database, removeAll, removeAll)
    assertSmallSteps([5_000, ...left])
  })

  test('is completed after a crash, however many accounts were deleted before', async (api) => {
    const { database } = api.context
    for (let n = 0; n < 101; n++) await api.newAccount(`Former ${n}`)
    await database.write((tx) =>
      tx
        .updateTable('accounts')
        .set({ deleted_at: api.clock.at - 1 })
        .execute(),
    )
    const { id } = await furnished(api)
    await database.write((tx) =>
      tx.updateTable('accounts').set({ deleted_at: api.clock.at }).where('id', '=', id).execute(),
    )
    await removeLeftovers(api.context)
    assert.deepEqual(await database.read.selectFrom('projects').select('slug').execute(), [])
  })
})
