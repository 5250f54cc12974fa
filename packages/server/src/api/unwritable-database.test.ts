import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { day, minute } from '../kernel/clock.ts'
import { onEachApi } from './api.test-kit.ts'

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
