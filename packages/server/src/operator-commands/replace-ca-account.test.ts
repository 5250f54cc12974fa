import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { borrowPebble } from '@masthead/testing/peers/pebble/borrow-pebble.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { createAcmeClient } from '../certificates/acme/acme-client.ts'
import { deactivate } from '../certificates/acme/deactivate.test-kit.ts'
import { fetchWithRoots } from '../certificates/acme/fetch-with-roots.ts'
import { insertAccount } from '../certificates/acme-account/account-store.ts'
import { createAccountKeeper, readAccount } from '../certificates/acme-account/registration.ts'
import type { IssuingContext } from '../certificates/context.ts'
import { purposes } from '../certificates/sealed-columns.ts'
import { generateKeyPair, privateKeyPem } from '../certificates/x509/key-pair.ts'
import { readConfig } from '../config/config.ts'
import { checkAuthorities } from '../doctor/authority.ts'
import { openAcme, openSealingKeys } from '../start/open-certificates.ts'
import { openStorage } from '../start/open-storage.ts'
import { main } from './masthead-server.ts'

test('the doctor reports an account that was deactivated, and a command registers a new one', {
  skip: skipWithout('pebble'),
}, async () => {
  await using folder = await temporaryFolder()
  await using pebble = await borrowPebble()
  const { directoryUrl, rootsPem } = pebble
  const roots = join(folder.path, 'roots.pem')
  await writeFile(roots, rootsPem)
  const env = { MASTHEAD_DATA: folder.path, MASTHEAD_CA: directoryUrl, MASTHEAD_CA_ROOTS: roots }
  const config = readConfig(env)
  const fetch = fetchWithRoots(rootsPem)
  const client = createAcmeClient({ directoryUrl, fetch, now: Date.now })

  async function replace(MASTHEAD_CA = directoryUrl): Promise<{ said: string; exitCode: unknown }> {
    let said = ''
    const write = (text: string) => (said += text)
    const exitCode = await main(['replace-ca-account'], {
      stdout: { write },
      stderr: { write },
      env: { ...env, MASTHEAD_CA },
    })
    return { said, exitCode }
  }
  async function withStorage<T>(use: (context: IssuingContext) => Promise<T>): Promise<T> {
    const storage = await openStorage(config, { warn: () => {} })
    try {
      return await use({ ...storage, sealing: await openSealingKeys(storage, config) })
    } finally {
      await storage.close()
    }
  }
  const examine = () =>
    withStorage(async (context) => {
      const dns = { resolve: async () => ({ kind: 'no_data', ttl: 0 }) as never }
      const parts = { config, context, dns, masterKey: null, openAcme: () => openAcme(config, Date.now) }
      const findings = await checkAuthorities(parts, new AbortController().signal)
      return findings.filter(({ message }) => message.includes('refuses the account'))
    })

  assert.match((await replace()).said, /^There is no account at /)
  const first = await withStorage((context) =>
    createAccountKeeper(context, client, directoryUrl, {}).account(),
  )
  assert.deepEqual(await examine(), [])
  assert.match((await replace()).said, /does not refuse the account of this server, so it stays/)

  await deactivate({ directoryUrl, fetch }, first)
  const [refusal, ...others] = await examine()
  assert.equal(others.length, 0)
  assert.match(refusal?.message ?? '', /Account has been deactivated/)
  assert.match(refusal?.fix ?? '', /npx masthead-server replace-ca-account/)

  const down = 'https://127.0.0.1:1/directory'
  await withStorage(async ({ database, sealing }) => {
    const key = privateKeyPem(await generateKeyPair())
    const sealed_key = sealing.seal(key, purposes.account(down))
    const row = { directory: down, url: 'https://127.0.0.1:1/account', sealed_key, created_at: 0 }
    await database.write((tx) => insertAccount(tx, row))
  })
  const { said, exitCode } = await replace(`${down},${directoryUrl}`)
  assert.match(said, /^There is a new account at .*\n127\.0\.0\.1:1: .* cannot be reached: .*Run this again/)
  assert.equal(exitCode, 1)
  const second = await withStorage((context) => readAccount(context, directoryUrl))
  assert.notEqual(second?.url ?? first.url, first.url)
  assert.deepEqual(await examine(), [])
})
