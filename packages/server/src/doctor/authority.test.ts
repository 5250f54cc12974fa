import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { borrowPebble } from '@masthead/testing/peers/pebble/borrow-pebble.ts'
import { startChallengeDns } from '@masthead/testing/peers/pebble/challenge-dns.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { createAcmeClient } from '../certificates/acme/acme-client.ts'
import { fetchWithRoots } from '../certificates/acme/fetch-with-roots.ts'
import { unknownAuthority } from '../certificates/authorities/authorities.ts'
import { ensureInternalRoot } from '../certificates/internal-ca/internal-issuer.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { createDns } from '../dns/dns.ts'
import { day, systemClock } from '../kernel/clock.ts'
import { createSealing } from '../secrets/sealing.ts'
import { type AuthorityParts, type AuthorityUnderCheck, checkAuthorities } from './authority.ts'

const skip = skipWithout('pebble')

/** A CA, asked at a name server whose answers the test decides. */
async function startCa(externalAccounts?: Record<string, string>) {
  const pebble = await borrowPebble(externalAccounts && { externalAccounts })
  const dns = await startChallengeDns({ port: pebble.dnsPort })
  const [address = '', port] = dns.server.split(':')
  const servers = [{ address, port: Number(port) }]
  const authority = unknownAuthority(pebble.directoryUrl, ['ca.example'])
  const ca = { contact: 'me@example.com', externalAccount: null }
  const parts: AuthorityParts = {
    config: { platformDomain: 'pages.example', dashboardHost: 'masthead.example', dataFolder: '/none' },
    masterKey: null,
    context: null,
    dns: createDns({ servers, authoritativePort: Number(port), allowPrivate: true }),
    async openAcme() {
      const fetch = fetchWithRoots(pebble.rootsPem)
      const client = createAcmeClient({ directoryUrl: pebble.directoryUrl, fetch, now: systemClock })
      return [{ ca, authority, client }]
    },
  }
  return {
    dns,
    pebble,
    parts,
    /** With these settings. */
    with: (settings: Partial<AuthorityUnderCheck['ca']>): AuthorityParts => ({
      ...parts,
      openAcme: async () => (await parts.openAcme()).map((one) => ({ ...one, ca: { ...ca, ...settings } })),
    }),
    examine: (given = parts) => checkAuthorities(given, new AbortController().signal),
    async [Symbol.asyncDispose]() {
      await dns[Symbol.asyncDispose]()
      await pebble[Symbol.asyncDispose]()
    },
  }
}

test('a CA that answers and may issue is fine, and without a contact nearly', { skip }, async () => {
  await using ca = await startCa()
  assert.deepEqual(
    (await ca.examine()).map(({ status }) => status),
    ['ok'],
  )
  assert.match((await ca.examine(ca.with({ contact: null })))[0]?.fix ?? '', /MASTHEAD_CA_CONTACT/)
})

test('CAA records that name another CA are a problem, with the record that would allow ours', {
  skip,
}, async () => {
  await using ca = await startCa()
  await ca.dns.setCaa('pages.example', [{ tag: 'issue', value: 'other.example' }])
  const [, finding] = await ca.examine()
  assert.equal(finding?.status, 'problem')
  assert.equal(finding?.fix, 'Add a CAA record at pages.example: 0 issue "ca.example".')
})

test('a CA that is stopped, or has a certificate nobody trusts, is a problem with its reason', {
  skip,
}, async () => {
  await using ca = await startCa()
  const untrusting = {
    ...ca.parts,
    async openAcme() {
      const { directoryUrl } = ca.pebble
      const client = createAcmeClient({ directoryUrl, fetch, now: systemClock })
      return (await ca.parts.openAcme()).map((acme) => ({ ...acme, client }))
    },
  }
  assert.match((await ca.examine(untrusting))[0]?.fix ?? '', /MASTHEAD_CA_ROOTS/)
  await ca.pebble.stop()
  const [stopped] = await ca.examine()
  assert.match(
    `${stopped?.message} ${stopped?.fix}`,
    /could not be reached: .*ECONNREFUSED.*Allow connections/,
  )
})

test('a CA that requires an external account is a problem until one is set', { skip }, async () => {
  await using ca = await startCa({ kid: 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W' })
  assert.match((await ca.examine())[0]?.fix ?? '', /MASTHEAD_CA_EAB_KID/)
  const externalAccount = {
    kid: 'kid',
    hmacKey: 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W',
  }
  assert.deepEqual(
    (await ca.examine(ca.with({ externalAccount }))).map(({ status }) => status),
    ['ok'],
  )
})

onEachDatabase('the doctor on the root of the internal CA', ({ open }) => {
  test('warns before another root takes its place, and for a while afterwards', async () => {
    await using database = await open()
    const start = Date.now()
    let at = start
    const context = { database, now: () => at, sealing: createSealing([randomBytes(32)]) }
    await ensureInternalRoot(context)
    const parts: AuthorityParts = {
      config: { platformDomain: 'pages.example', dashboardHost: 'dashboard.example', dataFolder: '/none' },
      masterKey: null,
      context,
      dns: { resolve: () => assert.fail('the internal CA needs no DNS') },
      openAcme: async () => [],
    }
    const examineAfter = async (days: number) => {
      at = start + days * day
      const [finding, ...others] = await checkAuthorities(parts, new AbortController().signal)
      assert.deepEqual(others, [])
      return `${finding?.status}: ${finding?.message} ${finding?.fix ?? ''}`
    }
    assert.match(await examineAfter(3500), /^ok: /)
    assert.match(await examineAfter(3600), /^warning: .*expires on \d{4}-\d\d-\d\d.*masthead ca/)
    await ensureInternalRoot({ ...context, now: () => start + 3650 * day })
    assert.match(await examineAfter(3660), /^warning: .*new root since \d{4}-\d\d-\d\d.*masthead ca/)
    assert.match(await examineAfter(3900), /^ok: /)
  })
})
