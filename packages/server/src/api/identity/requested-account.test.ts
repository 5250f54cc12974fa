import assert from 'node:assert/strict'
import type { Account } from '@masthead/contract/schemas/account.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { CreatedKey } from '@masthead/contract/schemas/key.ts'
import type { Session } from '@masthead/contract/schemas/people.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import type { Role } from '@masthead/contract/scopes.ts'
import { insertMember } from '../../people/store.ts'
import { type ApiUnderTest, nobody, onEachApi } from '../api.test-kit.ts'

const absent = 'acc_06d8f2k4m9q1s7x3b5n0'

/** A person who owns one account and works in a second one, and a third account of others, each with a project. */
async function twoAccounts(api: ApiUnderTest, roleInSecond: Role = 'developer') {
  const own = await api.newAccount('Own')
  const second = await api.newAccount('Second')
  const foreign = await api.newAccount('Foreign')
  const person = await api.newPerson(own.id, 'owner')
  await join(api, second.id, person.id, roleInSecond)
  for (const [account, slug] of [
    [own, 'of-own'],
    [second, 'of-second'],
    [foreign, 'of-foreign'],
  ] as const) {
    const { caller } = await api.newKey(account.id, ['read', 'deploy'])
    assert.equal((await api.send('POST /v1/projects', caller, { json: { slug } })).status, 201)
  }
  const as = (account: string) => ({ ...person.caller, 'Masthead-Account': account })
  return { own, second, foreign, person, as }
}

function join(api: ApiUnderTest, account: Id<'account'>, person: Id<'person'>, role: Role): Promise<void> {
  const row = { account_id: account, person_id: person, role, joined_at: api.clock.at + 1 }
  return api.context.database.write((tx) => insertMember(tx, row))
}

onEachApi('the account of a signed-in request', (test) => {
  test("is the one that it names, whatever the session's default is", async (api) => {
    const { own, second, person, as } = await twoAccounts(api)
    for (const opened of [second.id, own.id]) {
      await api.send('PATCH /v1/session', person.caller, { json: { accountId: opened } })
      for (const { id, name } of [own, second]) {
        const account = await api.send<Account>('GET /v1/account', as(id))
        assert.deepEqual([account.status, account.body.name], [200, name])
        const session = await api.send<Session>('GET /v1/session', as(id))
        assert.deepEqual([session.body.account?.id, session.body.accounts.length], [id, 2])
        const slug = `made-in-${name.toLowerCase()}-${opened.slice(-4)}`
        const made = await api.send<Project>('POST /v1/projects', as(id), { json: { slug } })
        assert.deepEqual([made.status, made.body.accountId], [201, id])
      }
    }
  })

  test('determines the role of the person', async (api) => {
    const { own, second, as } = await twoAccounts(api, 'viewer')
    const rename = (account: string) =>
      api.send('PATCH /v1/account', as(account), { json: { name: 'Renamed' } })
    assert.equal((await rename(second.id)).status, 403)
    assert.equal((await rename(own.id)).status, 200)
    assert.equal((await api.send<Account>('GET /v1/account', as(second.id))).body.name, 'Second')
  })

  test('has to be named by members of several, except for requests about the person', async (api) => {
    const { own, person } = await twoAccounts(api)
    for (const route of [
      'GET /v1/account',
      'GET /v1/account/usage',
      'GET /v1/projects',
      'GET /v1/keys',
      'GET /v1/members',
      'GET /v1/events?project=of-own',
      'GET /v1/stream',
      'POST /v1/logins/BCDF-GHJK/approve',
    ]) {
      const refused = await api.send(route, person.caller)
      assert.deepEqual([refused.status, refused.body.code], [400, 'account_required'], route)
    }
    const json = { slug: 'nowhere' }
    assert.equal((await api.send('POST /v1/projects', person.caller, { json })).status, 400)
    assert.equal((await api.send<Session>('GET /v1/session', person.caller)).body.account?.id, own.id)
    assert.equal((await api.send('GET /v1/logins/BCDF-GHJK', person.caller)).body.code, 'not_found')
    assert.equal((await api.send('DELETE /v1/session', person.caller)).status, 204)
  })

  test('need not be named if there is only one', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'viewer')
    assert.equal((await api.send<Account>('GET /v1/account', caller)).body.id, id)
  })

  test('is refused with the same error whether it is somebody else’s, missing, or malformed', async (api) => {
    const { own, second, foreign, person, as } = await twoAccounts(api)
    const single = await api.newPerson(own.id, 'viewer')
    const spellings = [
      foreign.id,
      absent,
      own.id.toUpperCase(),
      `${own.id},${own.id}`,
      `${own.id}x`,
      'Own',
      '*',
      'undefined',
      '%00',
      '',
      person.id,
      'a'.repeat(5_000),
    ]
    for (const caller of [person.caller, single.caller]) {
      const answers = new Set<string>()
      for (const spelled of spellings) {
        for (const route of ['GET /v1/account', 'GET /v1/projects/of-own', 'GET /v1/session']) {
          const refused = await api.send(route, { ...caller, 'Masthead-Account': spelled })
          answers.add(JSON.stringify([refused.status, refused.body.code, refused.body.detail]))
        }
      }
      assert.deepEqual(
        [...answers],
        [JSON.stringify([403, 'wrong_account', 'You do not belong to the requested account.'])],
      )
    }
    for (const spelled of [` ${second.id} `, `\t${second.id}`]) {
      assert.equal((await api.send<Account>('GET /v1/account', as(spelled))).body.id, second.id)
    }
  })

  test('is that of the project in the path, for its members', async (api) => {
    const { own, second, person } = await twoAccounts(api)
    for (const [slug, { id }] of [
      ['of-own', own],
      ['of-second', second],
    ] as const) {
      const bySlug = await api.send<Project>(`GET /v1/projects/${slug}`, person.caller)
      assert.deepEqual([bySlug.status, bySlug.body.accountId], [200, id])
      const byId = await api.send<Project>(`GET /v1/projects/${bySlug.body.id}`, person.caller)
      assert.deepEqual(byId.body, bySlug.body)
      const domains = await api.send(`GET /v1/projects/${slug}/domains`, person.caller)
      assert.equal(domains.status, 200)
    }
    // Roles apply per account: a developer there cannot delete, the owner here can.
    assert.equal((await api.send('DELETE /v1/projects/of-second', person.caller)).status, 403)
    assert.equal((await api.send('DELETE /v1/projects/of-own', person.caller)).status, 204)
  })

  test('does not reveal the projects of others', async (api) => {
    const { own, second, person, as } = await twoAccounts(api)
    const { body } = await api.send<Project>('GET /v1/projects/of-second', person.caller)
    for (const caller of [person.caller, as(own.id), as(second.id)]) {
      for (const method of ['GET', 'PATCH']) {
        const input = method === 'GET' ? {} : { json: { name: 'Taken' } }
        const theirs = await api.send(`${method} /v1/projects/of-foreign`, caller, input)
        const none = await api.send(`${method} /v1/projects/of-nobody`, caller, input)
        assert.deepEqual([theirs.status, theirs.body.code], [404, 'not_found'])
        assert.deepEqual([none.status, none.body.code], [404, 'not_found'])
        assert.equal(theirs.body.detail.replace('foreign', 'nobody'), none.body.detail)
      }
    }
    // A request for one account does not reach a project of another one of the person.
    for (const project of ['of-second', body.id]) {
      for (const route of [
        `GET /v1/projects/${project}`,
        `DELETE /v1/projects/${project}`,
        `GET /v1/projects/${project}/deployments`,
        `GET /v1/events?project=${project.includes('_') ? 'of-second' : project}`,
      ]) {
        assert.equal((await api.send(route, as(own.id))).status, 404, route)
      }
    }
    assert.equal((await api.send('GET /v1/projects/of-second', as(second.id))).status, 200)
  })

  test('is lost with the membership, and the session still works for the others', async (api) => {
    const { own, second, person, as } = await twoAccounts(api)
    const owner = await api.newPerson(second.id, 'owner')
    await api.send('PATCH /v1/session', person.caller, { json: { accountId: second.id } })
    assert.equal((await api.send(`DELETE /v1/members/${person.id}`, owner.caller)).status, 200)
    assert.equal((await api.send('GET /v1/account', as(second.id))).body.code, 'wrong_account')
    assert.equal((await api.send('GET /v1/projects/of-second', person.caller)).status, 404)
    assert.equal((await api.send<Account>('GET /v1/account', as(own.id))).body.id, own.id)
    assert.equal((await api.send<Session>('GET /v1/session', person.caller)).body.account?.id, own.id)
  })

  test("determines the account of a command line's key", async (api) => {
    const { own, second, person, as } = await twoAccounts(api)
    await api.send('PATCH /v1/session', person.caller, { json: { accountId: own.id } })
    const started = await api.send<{ code: string; secret: string }>('POST /v1/logins', nobody, {
      json: { client: 'masthead on a laptop' },
    })
    const approved = await api.send(`POST /v1/logins/${started.body.code}/approve`, as(second.id))
    assert.equal(approved.status, 204)
    const claimed = await api.send<{ secret: string }>('POST /v1/logins/claim', nobody, {
      json: { secret: started.body.secret },
    })
    const account = await api.send<Account>('GET /v1/account', api.byKey(claimed.body.secret))
    assert.equal(account.body.id, second.id)
  })

  test('is part of the fingerprint of a repeated request', async (api) => {
    const { own, second, as } = await twoAccounts(api, 'owner')
    const headers = { 'Idempotency-Key': 'once' }
    const create = (account: string) =>
      api.send<CreatedKey & { code?: string }>('POST /v1/keys', as(account), {
        json: { name: 'nightly', scopes: ['read'] },
        headers,
      })
    const made = await create(own.id)
    assert.equal(made.status, 201)
    assert.equal((await create(own.id)).body.id, made.body.id)
    assert.equal((await create(second.id)).body.code, 'idempotency_mismatch')
  })
})

onEachApi('the account of a stream', (test) => {
  test(
    'is named in its query, and no other account’s changes are sent',
    async (api) => {
      const { own, second, foreign, person } = await twoAccounts(api)
      for (const { id } of [own, second]) {
        assert.equal((await api.send(`GET /v1/stream?account=${id}`, person.caller)).status, 200)
      }
      for (const query of [
        `account=${foreign.id}`,
        `account=${absent}`,
        'account=',
        `account=${own.id}&account=${second.id}`,
        `account=${own.id}&account=${own.id}`,
      ]) {
        const refused = await api.send(`GET /v1/stream?${query}`, person.caller)
        assert.deepEqual([refused.status, refused.body.code], [403, 'wrong_account'], query)
      }
      // Other routes do not take the account from the query.
      const elsewhere = await api.send(`GET /v1/account?account=${own.id}`, person.caller)
      assert.equal(elsewhere.body.code, 'account_required')
    },
    { streamLimits: { maxDuration: 20 } },
  )
})

onEachApi('the account of a key', (test) => {
  test('is its own, and a request for another one is refused', async (api) => {
    const { own, second } = await twoAccounts(api)
    const { caller } = await api.newKey(own.id, ['read'])
    const naming = (account: string) => ({ ...caller, 'Masthead-Account': account })
    assert.equal((await api.send('GET /v1/account', naming(own.id))).status, 200)
    for (const other of [second.id, absent, '']) {
      for (const route of ['GET /v1/account', 'GET /v1/projects/of-own', 'GET /v1/whoami']) {
        assert.equal((await api.send(route, naming(other))).body.code, 'wrong_account')
      }
    }
    assert.equal(
      (
        await api.send('GET /v1/operator/accounts', {
          ...api.operator,
          'Masthead-Account': second.id,
        })
      ).status,
      200,
    )
  })

  test('can be named by programs on other sites', async (api) => {
    const preflight = await api.send('OPTIONS /v1/projects', nobody)
    assert.match(preflight.headers.get('Access-Control-Allow-Headers') ?? '', /Masthead-Account/)
  })
})
