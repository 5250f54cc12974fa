import assert from 'node:assert/strict'
import type { AccountEvent } from '@masthead/contract/schemas/account.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import { pruneEvents } from '../../events/prune-events.ts'
import { day, hour } from '../../kernel/clock.ts'
import { createdAt, newId } from '../../kernel/ids.ts'
import { pruneLinks } from '../../people/prune-links.ts'
import { type ApiUnderTest, onEachApi } from '../api.test-kit.ts'

/** Ids never go back in time, so this starts where earlier tests ended. */
async function newOwner(api: ApiUnderTest) {
  api.clock.at = createdAt(newId('event', api.clock.at)) ?? api.clock.at
  const { id } = await api.newAccount('Acme')
  return { id, owner: await api.newPerson(id, 'owner') }
}

const later = ({ context, clock }: ApiUnderTest, time: number) => {
  const at = clock.at + time
  return { ...context, now: () => at }
}

onEachApi('the activity of an account', (test) => {
  test('is kept for 400 days, and older events are deleted in batches', async (api) => {
    const { owner } = await newOwner(api)
    const { database } = api.context
    const create = (slug: string) => api.send('POST /v1/projects', owner.caller, { json: { slug } })
    await create('old')
    const { kind: _, ...old } = await database.read
      .selectFrom('events')
      .selectAll()
      .where('type', '=', 'project.created')
      .executeTakeFirstOrThrow()
    await database.write(async (tx) => {
      const rows = Array.from({ length: 450 }, () => ({ ...old, id: newId('event', old.at) }))
      for (const row of rows) await tx.insertInto('events').values(row).execute()
    })
    const context = later(api, 400 * day + hour)
    api.clock.at += day
    await create('new')
    assert.equal(await pruneEvents(later(api, 300 * day)), false)
    const count = async () => (await database.read.selectFrom('events').select('id').execute()).length
    const all = await count()
    assert.equal(await pruneEvents(context), true)
    assert.equal(await count(), all - 200)
    while (await pruneEvents(context));
    const { body } = await api.send<Page<AccountEvent>>('GET /v1/events?kind=project', owner.caller)
    assert.deepEqual(
      body.items.map(({ data }) => data),
      [{ slug: 'new' }],
    )
  })
})

onEachApi('an expired link', (test) => {
  test('is deleted a week later, with the email address it has', async (api) => {
    const { id, owner } = await newOwner(api)
    const { read } = api.context.database
    const ada = await api.newPerson(id, 'developer')
    await api.send('POST /v1/invitations', owner.caller, { json: { email: 'a@b.example', role: 'owner' } })
    await api.send(`POST /v1/members/${ada.id}/password-reset`, owner.caller)
    const left = async () => [
      (await read.selectFrom('invitations').select('email').execute()).length,
      (await read.selectFrom('password_resets').select('person_id').execute()).length,
    ]
    await pruneLinks(later(api, 7 * day))
    assert.deepEqual(await left(), [1, 1])
    await pruneLinks(later(api, 8 * day + hour))
    assert.deepEqual(await left(), [1, 0])
    await pruneLinks(later(api, 14 * day + hour))
    assert.deepEqual(await left(), [0, 0])
  })
})
