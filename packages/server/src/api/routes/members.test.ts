import assert from 'node:assert/strict'
import type { AccountEvent } from '@masthead/contract/schemas/account.ts'
import type { Id, Page } from '@masthead/contract/schemas/fields.ts'
import type { Scope } from '@masthead/contract/scopes.ts'
import { type ApiUnderTest, type Caller, nobody, onEachApi } from '../api.test-kit.ts'

onEachApi('members', (test) => {
  const change = (api: ApiUnderTest, as: Caller, id: Id<'person'>, role: string) =>
    api.send(`PATCH /v1/members/${id}`, as, { json: { role } })

  test('get a new role immediately', async (api) => {
    const { id } = await api.newAccount()
    const owner = await api.newPerson(id, 'owner')
    const viewer = await api.newPerson(id, 'viewer')
    const create = () => api.send('POST /v1/projects', viewer.caller, { json: { slug: 'site' } })
    assert.equal((await create()).status, 403)
    assert.equal((await change(api, owner.caller, viewer.id, 'developer')).status, 200)
    assert.equal((await create()).status, 201)
  })

  test('keep one owner: the last one can neither leave nor be demoted', async (api) => {
    const { id } = await api.newAccount()
    const owner = await api.newPerson(id, 'owner')
    const second = await api.newPerson(id, 'developer')
    for (const refused of [
      await api.send(`DELETE /v1/members/${owner.id}`, owner.caller),
      await change(api, owner.caller, owner.id, 'viewer'),
    ]) {
      assert.equal(refused.status, 409)
      assert.equal(refused.body.code, 'last_owner')
    }
    assert.equal((await change(api, owner.caller, owner.id, 'owner')).status, 200)
    await change(api, owner.caller, second.id, 'owner')
    assert.equal((await api.send(`DELETE /v1/members/${owner.id}`, owner.caller)).status, 200)
  })

  test('who remove each other simultaneously leave one owner', async (api) => {
    for (let round = 0; round < 5; round++) {
      const { id } = await api.newAccount()
      const owner = await api.newPerson(id, 'owner')
      const second = await api.newPerson(id, 'owner')
      const both = await Promise.all([
        api.send(`DELETE /v1/members/${second.id}`, owner.caller),
        api.send(`DELETE /v1/members/${owner.id}`, second.caller),
      ])
      assert.equal(both.filter(({ status }) => status === 200).length, 1)
      const left = await api.context.database.read
        .selectFrom('members')
        .selectAll()
        .where('account_id', '=', id)
        .execute()
      assert.equal(left.length, 1)
    }
  })

  test('who are demoted or removed lose their command-line keys', async (api) => {
    const { id } = await api.newAccount()
    const owner = await api.newPerson(id, 'owner')
    const developer = await api.newPerson(id, 'developer')
    const started = await api.send<{ code: string; secret: string }>('POST /v1/logins', nobody, {
      json: { client: 'masthead on a laptop' },
    })
    await api.send(`POST /v1/logins/${started.body.code}/approve`, developer.caller)
    const { body } = await api.send<{ secret: string }>('POST /v1/logins/claim', nobody, {
      json: { secret: started.body.secret },
    })
    const key = api.byKey(body.secret)
    const create = (slug: string) => api.send('POST /v1/projects', key, { json: { slug } })
    assert.equal((await create('before')).status, 201)

    assert.equal((await change(api, owner.caller, developer.id, 'viewer')).status, 200)
    assert.equal((await create('demoted')).status, 403)
    assert.equal((await api.send('GET /v1/projects', key)).status, 200)

    await api.send(`DELETE /v1/members/${developer.id}`, owner.caller)
    assert.equal((await api.send('GET /v1/projects', key)).status, 401)
  })

  test('who are removed lose access immediately, in all sessions', async (api) => {
    const { id } = await api.newAccount()
    const owner = await api.newPerson(id, 'owner')
    const viewer = await api.newPerson(id, 'viewer')
    assert.equal((await api.send(`DELETE /v1/members/${viewer.id}`, owner.caller)).status, 200)
    const refused = await api.send('GET /v1/account', viewer.caller)
    assert.deepEqual([refused.status, refused.body.code], [403, 'no_account'])
    assert.equal((await api.send(`DELETE /v1/members/${viewer.id}`, owner.caller)).status, 404)
  })

  interface Named {
    id: string
    name: string
  }
  const create = (api: ApiUnderTest, as: Caller, name: string, scopes: Scope[], more = {}) =>
    api.send<Named & { secret: string; createdBy: unknown }>('POST /v1/keys', as, {
      json: { name, scopes, ...more },
    })
  const remove = (api: ApiUnderTest, as: Caller, id: string, query = '') =>
    api.send<{ revokedKeys: Named[] }>(`DELETE /v1/members/${id}${query}`, as)
  const reads = async (api: ApiUnderTest, secret: string) =>
    (await api.send('GET /v1/whoami', api.byKey(secret))).status

  test('who are removed lose the keys they created, and keys created by those; others stay', async (api) => {
    const { id } = await api.newAccount()
    const owner = await api.newPerson(id, 'owner')
    const leaver = await api.newPerson(id, 'owner')
    const stays = await create(api, owner.caller, 'stays', ['read'])
    const first = await create(api, leaver.caller, 'first', ['read', 'admin'])
    const second = await create(api, api.byKey(first.body.secret), 'second', ['read'])
    assert.deepEqual(first.body.createdBy, { kind: 'person', name: leaver.email })
    assert.deepEqual(second.body.createdBy, { kind: 'key', name: 'first' })
    const removed = await remove(api, owner.caller, leaver.id)
    assert.equal(removed.status, 200)
    assert.deepEqual(
      removed.body.revokedKeys.map(({ name }) => name),
      ['first', 'second'],
    )
    assert.equal(await reads(api, first.body.secret), 401)
    assert.equal(await reads(api, second.body.secret), 401)
    assert.equal(await reads(api, stays.body.secret), 200)
    const { body } = await api.send<Page<AccountEvent>>('GET /v1/events?kind=key', owner.caller)
    assert.equal(body.items.filter(({ type }) => type === 'key.revoked').length, 2)
  })

  test('whose keys are kept pass them to the remover, and they end with that membership', async (api) => {
    const { id } = await api.newAccount()
    const last = await api.newPerson(id, 'owner')
    const owner = await api.newPerson(id, 'owner')
    const leaver = await api.newPerson(id, 'owner')
    const key = await create(api, leaver.caller, 'ci', ['read'])
    const kept = await remove(api, owner.caller, leaver.id, '?keys=keep')
    assert.deepEqual([kept.status, kept.body.revokedKeys], [200, []])
    assert.equal(await reads(api, key.body.secret), 200)
    const removed = await remove(api, last.caller, owner.id)
    assert.deepEqual(
      removed.body.revokedKeys.map(({ name }) => name),
      ['ci'],
    )
    assert.equal(await reads(api, key.body.secret), 401)
  })

  test('who leave lose the keys that they created', async (api) => {
    const { id } = await api.newAccount()
    await api.newPerson(id, 'owner')
    const leaver = await api.newPerson(id, 'owner')
    const key = await create(api, leaver.caller, 'ci', ['read'])
    assert.equal((await api.send(`DELETE /v1/person/accounts/${id}`, leaver.caller)).status, 204)
    assert.equal(await reads(api, key.body.secret), 401)
  })

  test('who are demoted lose keys with more scopes than their new role', async (api) => {
    const { id } = await api.newAccount()
    const owner = await api.newPerson(id, 'owner')
    const other = await api.newPerson(id, 'owner')
    const wide = await create(api, other.caller, 'wide', ['read', 'deploy', 'domains', 'admin'])
    const narrow = await create(api, other.caller, 'narrow', ['read'])
    const demoted = await api.send<{ revokedKeys: Named[] }>(`PATCH /v1/members/${other.id}`, owner.caller, {
      json: { role: 'viewer' },
    })
    assert.deepEqual(
      demoted.body.revokedKeys.map(({ name }) => name),
      ['wide'],
    )
    assert.equal(await reads(api, wide.body.secret), 401)
    assert.equal(await reads(api, narrow.body.secret), 200)
  })

  test('who are removed leave no open invitation behind', async (api) => {
    const { id } = await api.newAccount()
    const owner = await api.newPerson(id, 'owner')
    const leaver = await api.newPerson(id, 'owner')
    const json = { email: 'friend@example.com', role: 'owner' }
    const invited = await api.send<{ url: string }>('POST /v1/invitations', leaver.caller, { json })
    await api.send('POST /v1/invitations', owner.caller, { json: { ...json, email: 'other@example.com' } })
    await remove(api, owner.caller, leaver.id)
    const open = await api.send<Page<{ email: string }>>('GET /v1/invitations', owner.caller)
    assert.deepEqual(
      open.body.items.map(({ email }) => email),
      ['other@example.com'],
    )
    const token = invited.body.url.split('#')[1]
    const used = await api.send('POST /v1/invitations/accept', nobody, {
      json: { token, name: 'Friend', password: 'a ship in port is safe' },
    })
    assert.equal(used.status, 410)
  })

  test('never get more from a key than it has: by invitation, role, key, or expiry', async (api) => {
    const { id } = await api.newAccount()
    await api.newPerson(id, 'owner')
    const viewer = await api.newPerson(id, 'viewer')
    const developer = await api.newPerson(id, 'developer')
    const admin = (await api.newKey(id, ['admin'])).caller
    const reader = (await api.newKey(id, ['read', 'admin'])).caller
    const invite = (as: Caller, role: string) =>
      api.send('POST /v1/invitations', as, { json: { email: 'me@example.com', role } })
    for (const role of ['owner', 'developer', 'viewer'])
      assert.equal((await invite(admin, role)).status, 403, role)
    assert.equal((await invite(reader, 'viewer')).status, 201)
    for (const role of ['owner', 'developer']) {
      assert.equal((await invite(reader, role)).status, 403)
      assert.equal((await change(api, reader, viewer.id, role)).status, 403)
    }
    assert.equal((await change(api, admin, developer.id, 'viewer')).status, 200)
    assert.equal((await create(api, admin, 'more', ['deploy'])).status, 403)

    const expiresAt = new Date(api.clock.at + 60_000).toISOString()
    const brief = await create(api, reader, 'brief', ['admin'], { expiresAt })
    const byBrief = api.byKey(brief.body.secret)
    assert.equal((await create(api, byBrief, 'for ever', ['admin'])).status, 403)
    const later = new Date(api.clock.at + 60_001).toISOString()
    assert.equal((await create(api, byBrief, 'longer', ['admin'], { expiresAt: later })).status, 403)
    assert.equal((await create(api, byBrief, 'as long', ['admin'], { expiresAt })).status, 201)
  })

  test('never get access for longer from a key that expires', async (api) => {
    const { id } = await api.newAccount()
    const owner = await api.newPerson(id, 'owner')
    const viewer = await api.newPerson(id, 'viewer')
    const developer = await api.newPerson(id, 'developer')
    const scopes: Scope[] = ['read', 'deploy', 'domains', 'admin']
    const expiresAt = new Date(api.clock.at + 3_600_000).toISOString()
    const brief = api.byKey((await create(api, owner.caller, 'brief', scopes, { expiresAt })).body.secret)
    const json = { email: 'friend@example.com', role: 'viewer' }
    for (const refused of [
      await api.send('POST /v1/invitations', brief, { json }),
      await api.send('POST /v1/invitations', brief, { json: { ...json, role: 'owner' } }),
      await change(api, brief, viewer.id, 'owner'),
      await change(api, brief, developer.id, 'owner'),
    ]) {
      assert.equal(refused.status, 403, refused.text)
      assert.equal(refused.body.detail, 'This key expires, so it cannot give somebody access for longer.')
    }
    const invitations = await api.send<Page<object>>('GET /v1/invitations', owner.caller)
    assert.deepEqual(invitations.body.items, [])
    assert.equal((await change(api, brief, developer.id, 'viewer')).status, 200)
    const lasting = api.byKey((await create(api, owner.caller, 'lasting', scopes)).body.secret)
    assert.equal((await api.send('POST /v1/invitations', lasting, { json })).status, 201)
  })
})
