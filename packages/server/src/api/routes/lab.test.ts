import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { LabRecord } from '@masthead/contract/schemas/lab.ts'
import type { Scope } from '@masthead/contract/scopes.ts'
import type { Database } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { ask } from '../../dns/ask.ts'
import { systemClock } from '../../kernel/clock.ts'
import { openLab } from '../../lab/lab.ts'
import { type ApiUnderTest, startApi } from '../api.test-kit.ts'

const record = '/v1/lab/records/www.acme.localhost/CNAME'
const target = 'k3v9x2m1qp.cname.masthead.localhost'

async function labOver(database: Database) {
  const lab = await openLab({
    database,
    now: systemClock,
    naming: { platformDomain: 'masthead.localhost', edgeAddresses: ['127.0.0.1'] },
    port: 0,
    portChosen: false,
    log: { warn: () => {} },
  })
  return { ...lab, [Symbol.asyncDispose]: () => lab.close() }
}

async function callerWith(api: ApiUnderTest, ...scopes: Scope[]) {
  const { id } = await api.newAccount()
  return (await api.newKey(id, scopes)).caller
}

onEachDatabase("the lab's records", (databases) => {
  test('are set, listed and removed over the API, and answered in DNS', async () => {
    await using database = await databases.open()
    await using lab = await labOver(database)
    await using api = await startApi(database, { lab })
    const caller = await callerWith(api, 'read', 'domains')
    const set = await api.send<LabRecord>(`PUT ${record}`, caller, { json: { values: [`${target}.`] } })
    assert.equal(set.status, 200)
    const kept = { name: 'www.acme.localhost', type: 'CNAME', values: [target], ttl: 60 }
    assert.deepEqual(set.body, kept)
    assert.deepEqual((await api.send<Page<LabRecord>>('GET /v1/lab/records', caller)).body.items, [kept])
    const question = { name: 'www.acme.localhost', type: 'CNAME' } as const
    assert.equal((await ask(lab.address, question)).answers[0]?.value, target)
    assert.equal((await api.send(`DELETE ${record}`, caller)).status, 204)
    assert.equal((await api.send(`DELETE ${record}`, caller)).status, 404)
    assert.equal((await ask(lab.address, question)).rcode, 'NXDOMAIN')
  })

  test('can only be changed by those who can change domains, and are refused with the reason', async () => {
    await using database = await databases.open()
    await using lab = await labOver(database)
    await using api = await startApi(database, { lab })
    const reader = await callerWith(api, 'read')
    assert.equal((await api.send(`PUT ${record}`, reader, { json: { values: [target] } })).status, 403)
    const caller = await callerWith(api, 'domains')
    const refused = await api.send('PUT /v1/lab/records/acme.com/A', caller, {
      json: { values: ['127.0.0.1'] },
    })
    assert.equal(refused.status, 422)
    assert.equal(refused.body.code, 'lab_record_invalid')
    assert.deepEqual(refused.body.errors, [{ path: 'name', message: 'must be under .localhost' }])
    assert.equal((await api.send('PUT /v1/lab/records/acme.localhost/MX', caller, { json: {} })).status, 404)
  })

  test('do not exist if the lab is off', async () => {
    await using database = await databases.open()
    await using api = await startApi(database)
    const caller = await callerWith(api, 'read', 'domains')
    for (const route of ['GET /v1/lab/records', `PUT ${record}`, `DELETE ${record}`]) {
      const json = route.startsWith('PUT') ? { values: [target] } : undefined
      const answer = await api.send(route, caller, { json })
      assert.deepEqual([answer.status, answer.body.code], [404, 'lab_off'], route)
    }
  })
})
