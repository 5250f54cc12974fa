import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Health } from '@masthead/contract/schemas/operator.ts'
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { openSqlite } from '../database/each-database.test-kit.ts'
import { day, minute } from '../kernel/clock.ts'
import { nobody, onEachApi, startApi } from './api.test-kit.ts'

/** As on a full disk: keys and sessions cannot be written. */
async function refuseWrites({ read, dialect }: Database): Promise<void> {
  if (dialect === 'sqlite') {
    for (const table of ['keys', 'sessions']) {
      await sql
        .raw(`create trigger full_${table} before update on ${table} begin select raise(abort, 'full'); end`)
        .execute(read)
    }
    return
  }
  await sql
    .raw(
      `create function refuse() returns trigger language plpgsql as
       $$ begin raise exception 'full' using errcode = '53100'; end $$`,
    )
    .execute(read)
  for (const table of ['keys', 'sessions']) {
    await sql
      .raw(`create trigger full_${table} before update on ${table} for each row execute function refuse()`)
      .execute(read)
  }
}

onEachApi('when last uses cannot be written', (test) => {
  test('keys and sessions still work for reading and deleting', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newKey(id, ['read', 'deploy', 'admin'])
    const person = await api.newPerson(id, 'owner')
    for (const slug of ['one', 'two']) {
      assert.equal((await api.send('POST /v1/projects', caller, { json: { slug } })).status, 201)
    }
    await refuseWrites(api.context.database)
    // Later than the precision of both, so that the last use would have to be written.
    api.clock.at += 2 * day
    for (const as of [caller, person.caller]) {
      for (let n = 0; n < 3; n++, api.clock.at += 11 * minute) {
        const read = await api.send('GET /v1/projects', as)
        assert.equal(read.status, 200, read.text)
      }
    }
    assert.equal((await api.send('DELETE /v1/projects/one', caller)).status, 204)
    assert.equal((await api.send('DELETE /v1/projects/two', person.caller)).status, 204)
    const warnings = api.logged.filter((line) => line.includes('cannot write last uses'))
    assert.ok(warnings.length <= 1, `${warnings.length} warnings`)
  })

  test('a session is extended in the browser, and in the database by the next use that can be written', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newPerson(id, 'viewer')
    api.clock.at += 2 * day
    const prolonged = await api.send('GET /v1/account', caller)
    assert.equal(prolonged.headers.getSetCookie().length, 1)
    assert.deepEqual((await api.send('GET /v1/account', caller)).headers.getSetCookie(), [])
  })
})

test('on a read-only disk changes get 503 with an explanation, and readiness and health say so until it is mended', async () => {
  await using database = await openSqlite()
  await using api = await startApi(database)
  const { id } = await api.newAccount()
  const { caller } = await api.newKey(id, ['read', 'deploy'])
  const create = () => api.send('POST /v1/projects', caller, { json: { slug: 'site' } })
  const readiness = async () => {
    const [all, sites] = await Promise.all(
      ['GET /readyz', 'GET /readyz/sites'].map((route) => api.send(route, nobody)),
    )
    return [all?.status, sites?.status]
  }
  const databaseCheck = async () => {
    const { body } = await api.send<Health>('GET /v1/operator/health', api.operator)
    return body.checks.find(({ name }) => name === 'database')
  }
  const makeReadOnly = (is: 'on' | 'off') => sql.raw(`pragma query_only = ${is}`).execute(database.read)

  await makeReadOnly('on')
  const refused = await create()
  assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable'], refused.text)
  assert.match(refused.body.detail, /disk fails or is read-only/)
  assert.equal(refused.headers.get('retry-after'), '60')
  assert.equal((await api.send('GET /v1/projects', caller)).status, 200)
  assert.deepEqual(await readiness(), [503, 200])
  const check = await databaseCheck()
  assert.equal(check?.ok, false)
  assert.match(check?.message ?? '', /read-only/)

  await makeReadOnly('off')
  assert.deepEqual(await readiness(), [200, 200])
  assert.equal((await databaseCheck())?.ok, true)
  assert.equal((await create()).status, 201)
})
