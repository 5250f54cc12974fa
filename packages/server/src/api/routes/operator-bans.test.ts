import assert from 'node:assert/strict'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { OperatorBan } from '@masthead/contract/schemas/operator.ts'
import { isoTime, minute, second } from '../../kernel/clock.ts'
import { saveBan } from '../../limits/store.ts'
import { type ApiUnderTest, type Caller, onEachApi } from '../api.test-kit.ts'
import { cursorOf, everyPage } from './every-page.test-kit.ts'

const list = (api: ApiUnderTest, query = '') =>
  api.send<Page<OperatorBan>>(`GET /v1/operator/bans${query}`, api.operator)

async function sendMany(api: ApiUnderTest, as: Caller, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 32) {
    const some = Array.from({ length: Math.min(32, count - sent) }, () => api.send('GET /v1/whoami', as))
    await Promise.all(some)
  }
}

/** An account whose only key ignores 429s until it is banned. */
async function bannedKey(api: ApiUnderTest, accountName: string) {
  const account = await api.newAccount(accountName)
  const { id, caller } = await api.newKey(account.id, ['read'])
  await sendMany(api, caller, 61)
  api.clock.at += 3 * second
  await sendMany(api, caller, 121)
  return { accountId: account.id, keyId: id, bannedAt: api.clock.at, caller }
}

onEachApi('the list of bans', (test) => {
  test('shows the key, its account, the start, the end, the violations and the length of the next ban', async (api) => {
    assert.deepEqual((await list(api)).body, { items: [], next: null })
    const { accountId, keyId, bannedAt } = await bannedKey(api, 'Hammer Ltd')
    const since = isoTime(bannedAt)
    const until = isoTime(bannedAt + 5 * minute)
    const who = { keyId, keyName: 'read', accountId, accountName: 'Hammer Ltd' }
    assert.deepEqual((await list(api)).body.items, [
      { ...who, since, until, violations: 121, nextBanSeconds: 900 },
    ])
  })

  test('has no bans that ended or were lifted, or of deleted keys', async (api) => {
    const first = await bannedKey(api, 'First')
    api.clock.at = first.bannedAt + 5 * minute - 1
    assert.equal((await list(api)).body.items.length, 1)
    api.clock.at += 1
    assert.deepEqual((await list(api)).body.items, [])

    const second = await bannedKey(api, 'Second')
    await api.send(`DELETE /v1/operator/keys/${second.keyId}/ban`, api.operator)
    assert.deepEqual((await list(api)).body.items, [])

    const third = await bannedKey(api, 'Third')
    const owner = await api.newPerson(third.accountId, 'owner')
    assert.equal((await api.send(`DELETE /v1/keys/${third.keyId}`, owner.caller)).status, 204)
    assert.deepEqual((await list(api)).body.items, [])
  })

  test('shows what the limiter enforces, not what was recorded', async (api) => {
    const { id: account_id } = await api.newAccount()
    const { id: key_id } = await api.newKey(account_id, ['read'])
    const since = api.clock.at
    const noted = { key_id, account_id, since, until: since + minute, step: 1, violations: 121 }
    await api.context.database.write((tx) => saveBan(tx, noted))
    assert.deepEqual((await list(api)).body.items, [])
  })

  test('has pages, soonest to end first, and refuses a made-up cursor', async (api) => {
    const keys: string[] = []
    for (const name of ['a', 'b', 'c']) keys.push((await bannedKey(api, name)).keyId)
    const seen = await everyPage<OperatorBan>(api, '/v1/operator/bans', 2)
    assert.deepEqual(
      seen.map(({ keyId }) => keyId),
      keys,
    )
    for (const forged of ['after:', 'after:1', 'after:x key_1', `after:${'9'.repeat(30)} key_1`]) {
      assert.equal((await list(api, `?cursor=${cursorOf('listBans', forged)}`)).status, 422, forged)
    }
  })
})
