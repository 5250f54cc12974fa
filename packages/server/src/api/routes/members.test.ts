import assert from 'node:assert/strict'
import type { Id } from '@masthead/contract/ids.ts'
import { type ApiUnderTest, type Caller, nobody, onEachApi } from '../api.test-kit.ts'

onEachApi('members', (test) => {
  const change = (api: ApiUnderTest, as: Caller, id: Id<'person'>, role: string) =>
    api.send(`PATCH /v1/members/${id}`, as, { json: { role } })

  test('get another role at once', async (api) => {
    const { id } = await api.newAccount()
    const owner = await api.newPerson(id, 'owner')
    const viewer = await api.newPerson(id, 'viewer')
    const create = () => api.send('POST /v1/projects', viewer.caller, { json: { slug: 'site' } })
    assert.equal((await create()).status, 403)
    assert.equal((await change(api, owner.caller, viewer.id, 'developer')).status, 200)
    assert.equal((await create()).status, 201)
  })

  test('keep one owner: the last can neither leave nor be demoted', async (api) => {
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
    assert.equal((await api.send(`DELETE /v1/members/${owner.id}`, owner.caller)).status, 204)
  })

  test('who are owners and remove each other at the same moment leave one owner', async (api) => {
    for (let round = 0; round < 5; round++) {
      const { id } = await api.newAccount()
      const owner = await api.newPerson(id, 'owner')
      const second = await api.newPerson(id, 'owner')
      const both = await Promise.all([
        api.send(`DELETE /v1/members/${second.id}`, owner.caller),
        api.send(`DELETE /v1/members/${owner.id}`, second.caller),
      ])
      assert.equal(both.filter(({ status }) => status === 204).length, 1)
      const left = await api.context.database.read
        .selectFrom('members')
        .selectAll()
        .where('account_id', '=', id)
        .execute()
      assert.equal(left.length, 1)
    }
  })

  test('who are demoted or removed take the key of their command line with them', async (api) => {
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

  test('who are removed lose access at once, in whichever session', async (api) => {
    const { id } = await api.newAccount()
    const owner = await api.newPerson(id, 'owner')
    const viewer = await api.newPerson(id, 'viewer')
    assert.equal((await api.send(`DELETE /v1/members/${viewer.id}`, owner.caller)).status, 204)
    const refused = await api.send('GET /v1/account', viewer.caller)
    assert.deepEqual([refused.status, refused.body.code], [403, 'no_account'])
    assert.equal((await api.send(`DELETE /v1/members/${viewer.id}`, owner.caller)).status, 404)
  })
})
