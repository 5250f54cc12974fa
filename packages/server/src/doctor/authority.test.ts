import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startChallengeDns } from '@masthead/testing/peers/challenge-dns.ts'
import { startPebble } from '@masthead/testing/peers/pebble.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { createAcmeClient } from '../certificates/acme/acme-client.ts'
import { fetchWithRoots } from '../certificates/acme/fetch-with-roots.ts'
import { unknownAuthority } from '../certificates/authorities/authorities.ts'
import { createDns } from '../dns/dns.ts'
import { systemClock } from '../kernel/clock.ts'
import { type AuthorityParts, checkAuthority } from './authority.ts'

const skip = skipWithout('pebble')

/** A CA without accounts, asked at a name server whose answers the test decides. */
async function startCa(externalAccounts?: Record<string, string>) {
  const dns = await startChallengeDns()
  const pebble = await startPebble({
    httpPort: 1,
    tlsPort: 1,
    dnsServer: dns.server,
    ...(externalAccounts && { externalAccounts }),
  })
  const [address = '', port] = dns.server.split(':')
  const servers = [{ address, port: Number(port) }]
  const authority = unknownAuthority(pebble.directoryUrl, ['ca.example'])
  const ca = {
    name: pebble.directoryUrl,
    rootsFile: null,
    contact: 'me@example.com',
    chain: null,
    externalAccount: null,
    budget: null,
  }
  const parts: AuthorityParts = {
    config: { ca, platformDomain: 'pages.example', dashboardHost: 'masthead.example' },
    context: null,
    dns: createDns({ servers, authoritativePort: Number(port), allowPrivate: true }),
    async openAcme() {
      const fetch = fetchWithRoots(pebble.rootsPem)
      return {
        authority,
        client: createAcmeClient({ directoryUrl: pebble.directoryUrl, fetch, now: systemClock }),
      }
    },
  }
  return {
    dns,
    pebble,
    parts,
    examine: (given = parts) => checkAuthority(given, new AbortController().signal),
    async [Symbol.asyncDispose]() {
      await pebble.stop()
      await dns[Symbol.asyncDispose]()
    },
  }
}

test('a CA that answers and may issue is fine, and without a contact nearly', { skip }, async () => {
  await using ca = await startCa()
  assert.deepEqual(
    (await ca.examine()).map(({ status }) => status),
    ['ok'],
  )
  const { config } = ca.parts
  const silent = { ...ca.parts, config: { ...config, ca: { ...config.ca, contact: null } } }
  assert.match((await ca.examine(silent))[0]?.fix ?? '', /MASTHEAD_CA_CONTACT/)
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
      const acme = await ca.parts.openAcme()
      const { directoryUrl } = ca.pebble
      return acme && { ...acme, client: createAcmeClient({ directoryUrl, fetch, now: systemClock }) }
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
  const { config } = ca.parts
  const externalAccount = {
    kid: 'kid',
    hmacKey: 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W',
  }
  const set = { ...ca.parts, config: { ...config, ca: { ...config.ca, externalAccount } } }
  assert.deepEqual(
    (await ca.examine(set)).map(({ status }) => status),
    ['ok'],
  )
})
