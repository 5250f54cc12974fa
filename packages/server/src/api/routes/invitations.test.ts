import assert from 'node:assert/strict'
import type { AccountEvent } from '@masthead/contract/schemas/account.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { Invitation, Member, Session } from '@masthead/contract/schemas/people.ts'
import { lockMembers } from '../../accounts/confirm-access.ts'
import { overlap, untilWaiting } from '../../database/interleave.test-kit.ts'
import { day } from '../../kernel/clock.ts'
import { type ApiUnderTest, type Caller, nobody, onEachApi, sessionToken } from '../api.test-kit.ts'

const email = 'grace@example.com'
const newcomer = { name: 'Grace', password: 'a ship in port is safe' }

async function owned(api: ApiUnderTest) {
  const { id } = await api.newAccount('Harbour')
  return { id, owner: await api.newPerson(id, 'owner') }
}

async function invite(api: ApiUnderTest, as: Caller, to: object = { email, role: 'developer' }) {
  const { body } = await api.send<Invitation & { url: string }>('POST /v1/invitations', as, { json: to })
  return { ...body, token: body.url.split('#')[1] ?? '' }
}

const accept = (api: ApiUnderTest, as: Caller, json: object) =>
  api.send<Session & { code?: string }>('POST /v1/invitations/accept', as, { json })

onEachApi('an invitation', (test) => {
  test('has a link that leads to the dashboard, and is listed without it', async (api) => {
    const { owner } = await owned(api)
    const invitation = await invite(api, owner.caller, { email: 'Grace@Example.com', role: 'developer' })
    assert.match(invitation.url, /^http:\/\/localhost:8080\/join#[\w-]{43}$/)
    assert.equal(invitation.email, email)
    assert.equal(invitation.invitedBy, owner.email)
    const list = await api.send<Page<Invitation>>('GET /v1/invitations', owner.caller)
    const { url: _, token, ...shown } = invitation
    assert.deepEqual(list.body.items, [shown])
    assert.ok(!list.text.includes(token))
  })

  test('is refused for a member, however their email address is spelled', async (api) => {
    const { id, owner } = await owned(api)
    await api.newPerson(id, 'viewer', { email })
    for (const to of [email, ' GRACE@Example.com ', owner.email]) {
      const refused = await api.send('POST /v1/invitations', owner.caller, {
        json: { email: to, role: 'owner' },
      })
      assert.deepEqual([refused.status, refused.body.code], [409, 'already_member'], to)
    }
    const elsewhere = await api.newAccount('Elsewhere')
    const other = await api.newPerson(elsewhere.id, 'owner')
    assert.equal((await invite(api, other.caller)).email, email)
    const list = await api.send<Page<Invitation>>('GET /v1/invitations', owner.caller)
    assert.deepEqual(list.body.items, [])
  })

  test('shows the holder of its link what it is for, and whether they have an account', async (api) => {
    const { id, owner } = await owned(api)
    const { token } = await invite(api, owner.caller)
    const look = () => api.send('POST /v1/invitations/lookup', nobody, { json: { token } })
    const preview = { accountName: 'Harbour', email, role: 'developer' }
    assert.deepEqual((await look()).body, { ...preview, personExists: false })
    await api.newPerson(id, 'viewer', { email })
    assert.deepEqual((await look()).body, { ...preview, personExists: true })
  })

  test('makes a new person a signed-in member with its role, and is gone then', async (api) => {
    const { id, owner } = await owned(api)
    const { token } = await invite(api, owner.caller)
    const joined = await accept(api, nobody, { token, ...newcomer })
    assert.equal(joined.status, 201)
    assert.equal(joined.body.account?.id, id)
    assert.equal(joined.body.role, 'developer')
    assert.equal(joined.body.person.operator, false)
    const grace = api.bySession(sessionToken(joined))
    const members = await api.send<Page<Member>>('GET /v1/members', grace)
    assert.deepEqual(
      members.body.items.map(({ person, role }) => [person.email, role]),
      [
        [owner.email, 'owner'],
        [email, 'developer'],
      ],
    )
    const list = await api.send<Page<Invitation>>('GET /v1/invitations', owner.caller)
    assert.deepEqual(list.body.items, [])
    assert.equal((await accept(api, nobody, { token, ...newcomer })).status, 410)
  })

  test('asks a new person for missing fields, and can be accepted after that', async (api) => {
    const { owner } = await owned(api)
    const { token } = await invite(api, owner.caller)
    const refused = await api.send('POST /v1/invitations/accept', nobody, { json: { token } })
    assert.equal(refused.status, 422)
    assert.deepEqual(
      refused.body.errors?.map(({ path }) => path),
      ['name', 'password'],
    )
    assert.equal((await accept(api, nobody, { token, ...newcomer })).status, 201)
  })

  test('can only be accepted by an existing person who is signed in', async (api) => {
    const { id, owner } = await owned(api)
    const other = await api.newAccount('Other')
    const grace = await api.newPerson(other.id, 'owner', { email })
    const eve = await api.newPerson(other.id, 'owner')
    const { token } = await invite(api, owner.caller)
    for (const [as, json] of [
      [nobody, { token, ...newcomer }],
      [eve.caller, { token }],
      [(await api.newKey(other.id, ['admin'])).caller, { token }],
    ] as const) {
      const refused = await api.send('POST /v1/invitations/accept', as, { json })
      assert.equal(refused.status, 409)
      assert.equal(refused.body.code, 'email_taken')
    }
    const joined = await accept(api, grace.caller, { token })
    assert.equal(joined.status, 201)
    assert.equal(joined.body.account?.id, id)
    assert.deepEqual(joined.body.accounts.map(({ name, role }) => [name, role]).sort(), [
      ['Harbour', 'developer'],
      ['Other', 'owner'],
    ])
  })

  test('lets a person removed from their only account back in, signed in or not', async (api) => {
    const { id, owner } = await owned(api)
    const grace = await api.newPerson(id, 'developer', { email, password: newcomer.password })
    assert.equal((await api.send(`DELETE /v1/members/${grace.id}`, owner.caller)).status, 200)

    const kept = await api.send<Session>('GET /v1/session', grace.caller)
    assert.deepEqual(
      [kept.status, kept.body.account, kept.body.role, kept.body.accounts],
      [200, null, null, []],
    )
    const refused = await api.send('GET /v1/projects', grace.caller)
    assert.deepEqual([refused.status, refused.body.code], [403, 'no_account'])
    const again = await invite(api, owner.caller)
    const rejoined = await accept(api, grace.caller, { token: again.token })
    assert.deepEqual([rejoined.status, rejoined.body.account?.id], [201, id])

    await api.send(`DELETE /v1/members/${grace.id}`, owner.caller)
    const { token } = await invite(api, owner.caller)
    const json = { email, password: newcomer.password }
    const signedIn = await api.send<Session>('POST /v1/session', nobody, { json })
    assert.deepEqual([signedIn.status, signedIn.body.account], [201, null])
    const joined = await accept(api, api.bySession(sessionToken(signedIn)), { token })
    assert.deepEqual([joined.status, joined.body.account?.id, joined.body.role], [201, id, 'developer'])
    assert.equal((await api.send('GET /v1/projects', api.bySession(sessionToken(joined)))).status, 200)
  })

  test('ends after seven days', async (api) => {
    const { owner } = await owned(api)
    const { token } = await invite(api, owner.caller)
    api.clock.at += 7 * day
    const refused = await api.send('POST /v1/invitations/lookup', nobody, { json: { token } })
    assert.equal(refused.body.code, 'link_invalid')
    assert.equal((await accept(api, nobody, { token, ...newcomer })).status, 410)
    const list = await api.send<Page<Invitation>>('GET /v1/invitations', owner.caller)
    assert.deepEqual(list.body.items, [])
  })

  test('ends when it is revoked', async (api) => {
    const { owner } = await owned(api)
    const { id, token } = await invite(api, owner.caller)
    assert.equal((await api.send(`DELETE /v1/invitations/${id}`, owner.caller)).status, 204)
    assert.equal((await api.send(`DELETE /v1/invitations/${id}`, owner.caller)).status, 404)
    assert.equal((await accept(api, nobody, { token, ...newcomer })).status, 410)
  })

  test('accepted twice simultaneously creates one person', async (api) => {
    const { owner } = await owned(api)
    const { token } = await invite(api, owner.caller)
    const both = await Promise.all([1, 2].map(() => accept(api, nobody, { token, ...newcomer })))
    const statuses = both.map(({ status }) => status).sort()
    assert.equal(statuses[0], 201)
    assert.ok(statuses[1] === 409 || statuses[1] === 410, `the second got ${statuses[1]}`)
    const members = await api.send<Page<Member>>('GET /v1/members', owner.caller)
    assert.equal(members.body.items.length, 2)
  })

  test('accepted twice simultaneously by an existing person creates one membership', async (api) => {
    const { owner } = await owned(api)
    const other = await api.newAccount()
    const grace = await api.newPerson(other.id, 'owner', { email })
    const { token } = await invite(api, owner.caller)
    const both = await Promise.all([1, 2].map(() => accept(api, grace.caller, { token })))
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 410])
    const members = await api.send<Page<Member>>('GET /v1/members', owner.caller)
    assert.equal(members.body.items.length, 2)
  })

  test('replaces an earlier one to the same address, however it is spelled', async (api) => {
    const { owner } = await owned(api)
    const mistaken = await invite(api, owner.caller, { email: 'info@Bücher.example', role: 'owner' })
    const other = await invite(api, owner.caller)
    const meant = await invite(api, owner.caller, { email: ' INFO@xn--bcher-kva.example', role: 'viewer' })
    const list = await api.send<Page<Invitation>>('GET /v1/invitations', owner.caller)
    assert.deepEqual(
      list.body.items.map(({ id }) => id),
      [meant.id, other.id],
    )
    assert.equal((await accept(api, nobody, { token: mistaken.token, ...newcomer })).status, 410)
    const { body } = await api.send<Page<AccountEvent>>('GET /v1/events?kind=invitation', owner.caller)
    assert.deepEqual(body.items.map(({ type, actor, data }) => [type, actor.id, data.email]).slice(0, 2), [
      ['invitation.created', owner.id, 'info@xn--bcher-kva.example'],
      ['invitation.revoked', owner.id, 'info@xn--bcher-kva.example'],
    ])
    const joined = await accept(api, nobody, { token: meant.token, ...newcomer })
    assert.deepEqual([joined.status, joined.body.role], [201, 'viewer'])
  })

  test('to the same address leaves one link that works if two owners send it at once', async (api) => {
    const { id, owner } = await owned(api)
    const second = await api.newPerson(id, 'owner')
    const [first, last] = await overlap(
      api.context.database,
      () => invite(api, owner.caller),
      () => invite(api, second.caller, { email, role: 'viewer' }),
    )
    assert.equal((await accept(api, nobody, { token: first.token, ...newcomer })).status, 410)
    assert.equal((await accept(api, nobody, { token: last.token, ...newcomer })).status, 201)
  })

  test('ends for somebody who is removed or leaves, whoever sent it', async (api) => {
    const { id, owner } = await owned(api)
    for (const leave of [
      (grace: { id: string }) => api.send(`DELETE /v1/members/${grace.id}?keys=keep`, owner.caller),
      (grace: { caller: Caller }) => api.send(`DELETE /v1/person/accounts/${id}`, grace.caller),
    ]) {
      const grace = await api.newPerson(id, 'developer')
      // Nobody is invited who is a member, but she takes the address that was.
      const { token } = await invite(api, owner.caller, { email, role: 'owner' })
      await api.context.database.write((tx) =>
        tx.updateTable('people').set({ email }).where('id', '=', grace.id).execute(),
      )
      assert.ok((await leave(grace)).status < 300)
      const returned = await accept(api, grace.caller, { token })
      assert.deepEqual([returned.status, returned.body.code], [410, 'link_invalid'])
      await api.context.database.write((tx) =>
        tx.updateTable('people').set({ email: grace.email }).where('id', '=', grace.id).execute(),
      )
    }
    const { body } = await api.send<Page<AccountEvent>>('GET /v1/events?kind=invitation', owner.caller)
    assert.deepEqual(
      body.items.map(({ type }) => type),
      ['invitation.revoked', 'invitation.created', 'invitation.revoked', 'invitation.created'],
    )
  })

  test('accepted during the removal of its inviter fails with it, and the removal succeeds', async (api) => {
    const { id, owner } = await owned(api)
    const inviter = await api.newPerson(id, 'owner')
    const { token } = await invite(api, inviter.caller)
    const { database } = api.context
    const [, [removed, accepted]] = await overlap(
      database,
      () => database.write((tx) => lockMembers(database, tx, id)),
      async () => {
        const removing = api.send(`DELETE /v1/members/${inviter.id}`, owner.caller)
        await untilWaiting(database, 1)
        return Promise.all([removing, accept(api, nobody, { token, ...newcomer })])
      },
      { waiting: 2 },
    )
    assert.deepEqual([removed.status, accepted.status], [200, 410], accepted.text)
    const members = await api.send<Page<Member>>('GET /v1/members', owner.caller)
    assert.equal(members.body.items.length, 1)
  })

  test('is stored without the secret of its link', async (api) => {
    const { owner } = await owned(api)
    const { token } = await invite(api, owner.caller)
    const rows = await api.context.database.read.selectFrom('invitations').selectAll().execute()
    assert.equal(rows.length, 1)
    assert.ok(!JSON.stringify(rows).includes(token))
  })
})
