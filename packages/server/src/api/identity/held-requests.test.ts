import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Scope } from '@masthead/contract/scopes.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { createKey } from '../../keys/manage-keys.ts'
import { type ApiUnderTest, by, type Caller, onEachApi } from '../api.test-kit.ts'

const allScopes: Scope[] = ['read', 'deploy', 'domains', 'admin']

interface HeldRequest {
  /** Sends the last byte. */
  finish(): Promise<{ status: number; body: { code?: string } }>
}

/** Sends a request up to the last byte of its body. By then the caller was let in. */
async function hold(
  { origin }: ApiUnderTest,
  route: string,
  as: Caller,
  { type = 'application/json', body }: { type?: string; body: Uint8Array },
): Promise<HeldRequest> {
  const [method = '', path = ''] = route.split(' ')
  const sent = request(`${origin}${path}`, {
    method,
    headers: { ...as, 'content-type': type, 'content-length': body.length, expect: '100-continue' },
  })
  sent.flushHeaders()
  await once(sent, 'continue')
  sent.write(body.subarray(0, -1))
  return {
    async finish() {
      const answered = once(sent, 'response')
      sent.end(body.subarray(-1))
      const [answer] = (await answered) as [IncomingMessage]
      return { status: answer.statusCode ?? 0, body: JSON.parse(await text(answer)) }
    },
  }
}

const holdJson = (api: ApiUnderTest, route: string, as: Caller, json: unknown) =>
  hold(api, route, as, { body: Buffer.from(JSON.stringify(json)) })

const newKey = { name: 'for later', scopes: ['read'] }

onEachApi('a request whose body is held back', (test) => {
  test('is refused if its key was revoked meanwhile', async (api) => {
    const { id } = await api.newAccount()
    const [admin, revoked] = [await api.newKey(id, allScopes), await api.newKey(id, allScopes)]
    const held = await holdJson(api, 'POST /v1/keys', revoked.caller, newKey)
    const goes = await holdJson(api, 'POST /v1/keys', admin.caller, newKey)
    assert.equal((await api.send(`DELETE /v1/keys/${revoked.id}`, admin.caller)).status, 204)
    assert.equal((await held.finish()).status, 401)
    assert.equal((await goes.finish()).status, 201)
  })

  test('is refused if its key expired meanwhile', async (api) => {
    const { id } = await api.newAccount()
    const input = { accountId: id, name: 'short', scopes: allScopes, by, at: api.clock.at }
    const expiresAt = api.clock.at + 60_000
    const { secret } = await api.context.database.write((tx) => createKey(tx, { ...input, expiresAt }))
    const held = await holdJson(api, 'POST /v1/projects', api.byKey(secret), { slug: 'late' })
    api.clock.at = expiresAt
    assert.equal((await held.finish()).status, 401)
  })

  test('is refused if its person was removed or signed out meanwhile, whatever other account they have', async (api) => {
    const { id } = await api.newAccount()
    const other = await api.newAccount('Other')
    const [owner, removed] = [await api.newPerson(id, 'owner'), await api.newPerson(id, 'owner')]
    const held = await holdJson(api, 'POST /v1/keys', removed.caller, newKey)
    const { status } = await api.send(`DELETE /v1/members/${removed.id}`, owner.caller)
    assert.equal(status, 200)
    await api.context.database.write((tx) =>
      tx
        .insertInto('members')
        .values({ account_id: other.id, person_id: removed.id, role: 'owner', joined_at: api.clock.at })
        .execute(),
    )
    assert.equal((await held.finish()).status, 403)

    const leaving = await holdJson(api, 'POST /v1/keys', owner.caller, newKey)
    assert.equal((await api.send('DELETE /v1/session', owner.caller)).status, 204)
    assert.equal((await leaving.finish()).status, 401)
  })

  test('publishes nothing if the account was suspended or the key revoked meanwhile', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newKey(id, allScopes)
    const second = await api.newKey(id, allScopes)
    await api.send('POST /v1/projects', caller, { json: { slug: 'shop' } })
    const archive = { type: 'application/gzip', body: tarGz({ 'index.html': 'too late' }) }
    const deploy = (as: Caller) => hold(api, 'POST /v1/projects/shop/deployments', as, archive)
    const byRevoked = await deploy(second.caller)
    await api.send(`DELETE /v1/keys/${second.id}`, caller)
    assert.equal((await byRevoked.finish()).status, 401)
    const bySuspended = await deploy(caller)
    const suspension = `/v1/operator/accounts/${id}/suspension`
    await api.send(`PUT ${suspension}`, api.operator, { json: { reason: 'Spam' } })
    assert.equal((await bySuspended.finish()).status, 403)
    await api.send(`DELETE ${suspension}`, api.operator)
    const { body } = await api.send<{ items: unknown[] }>('GET /v1/projects/shop/deployments', caller)
    assert.deepEqual(body.items, [])
    assert.equal((await (await deploy(caller)).finish()).status, 201)
  })

  test('leaves nothing behind in an account that was deleted meanwhile', async (api) => {
    const { id } = await api.newAccount()
    const owner = await api.newPerson(id, 'owner')
    const { caller } = await api.newKey(id, allScopes)
    const held = [
      await holdJson(api, 'POST /v1/keys', caller, newKey),
      await holdJson(api, 'POST /v1/invitations', caller, { email: 'eve@example.com', role: 'owner' }),
    ]
    assert.equal((await api.send('DELETE /v1/account?name=Acme', owner.caller)).status, 200)
    for (const one of held) assert.equal((await one.finish()).status, 401)
  })
})
