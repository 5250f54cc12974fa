import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { type ChallengeRow, putChallenges } from './jobs/challenge-store.ts'
import { findAlpnChallenge, findChallenge } from './read.ts'

const clock = { at: Date.UTC(2030, 0, 1) }
const now = () => clock.at

const challenge = (token: string, some: Partial<ChallengeRow> = {}): ChallengeRow => ({
  token,
  name: 'www.acme.test',
  kind: 'http-01',
  key_authorization: `${token}.thumbprint`,
  expires_at: now() + 1_000,
  label: null,
  ...some,
})

onEachDatabase('challenges', ({ open }) => {
  test('get a response by token until they expire, and only for their own type', async () => {
    await using database = await open()
    const context = { database, now }
    await database.write((tx) =>
      putChallenges(tx, [
        challenge('one'),
        challenge('tls', { kind: 'tls-alpn-01' }),
        challenge('over', { expires_at: now() }),
      ]),
    )
    assert.equal(await findChallenge(context, 'one'), 'one.thumbprint')
    for (const token of ['tls', 'over', 'none', '', '../one', 'one/', 'x'.repeat(10_000), "' or 1=1 --"]) {
      assert.equal(await findChallenge(context, token), null, token)
    }
    const found = await findAlpnChallenge(context, 'www.acme.test')
    assert.match(found?.certificatePem ?? '', /^-----BEGIN CERTIFICATE-----/)
    assert.equal(await findAlpnChallenge(context, 'other.acme.test'), null)
  })

  test('over TLS get no response after they expire', async () => {
    await using database = await open()
    const context = { database, now }
    const tls = { kind: 'tls-alpn-01' } as const
    await database.write((tx) => putChallenges(tx, [challenge('older', tls)]))
    assert.notEqual(await findAlpnChallenge(context, 'www.acme.test'), null)
    await database.write((tx) => putChallenges(tx, [challenge('older', { ...tls, expires_at: now() })]))
    assert.equal(await findAlpnChallenge(context, 'www.acme.test'), null)
  })
})
