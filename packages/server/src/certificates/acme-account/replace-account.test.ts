import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import type { Database } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { type AcmeClient, createAcmeClient } from '../acme/acme-client.ts'
import { deactivate } from '../acme/deactivate.test-kit.ts'
import { fetchWithRoots } from '../acme/fetch-with-roots.ts'
import { AcmeProblem } from '../acme/problem.ts'
import { unknownAuthority } from '../authorities/authorities.ts'
import { faultProxy, refusal } from '../fault-proxy.test-kit.ts'
import { type IssuerUse, startPebbleCa } from '../issuing.test-kit.ts'
import { changeAccountKey } from './change-account-key.ts'
import { readAccount } from './registration.ts'
import { replaceRefusedAccount } from './replace-account.ts'

const skip = skipWithout('pebble')
const lost = new AcmeProblem('unreachable', 'The response was lost', { mayBeDone: true })
const losing = async (): Promise<never> => {
  throw lost
}

/** A running server, and the command. */
async function start(database: Database, using: IssuerUse = {}) {
  await using started = new AsyncDisposableStack()
  const ca = started.use(await startPebbleCa())
  const node = started.use(await ca.startWorking(database, using))
  const { directoryUrl, rootsPem } = ca.pebble
  const fetch = fetchWithRoots(rootsPem)
  const client = createAcmeClient({ directoryUrl, fetch, now: Date.now })
  const account = async () => (await readAccount(node.context, directoryUrl)) ?? assert.fail()
  const running = started.move()
  return {
    node,
    client,
    account,
    replace: (using: Partial<AcmeClient> = {}) =>
      replaceRefusedAccount(node.context, { ...client, ...using }, directoryUrl, {}),
    changeKey: (using: Partial<AcmeClient> = {}) =>
      changeAccountKey(node.context, { ...client, ...using }, unknownAuthority(directoryUrl)),
    /** Whether it does not wait for its backoff. */
    async isRetried(name: string) {
      const { nextAttemptAt } = await node.state(name)
      return nextAttemptAt === null || Date.parse(nextAttemptAt) <= node.context.now()
    },
    deactivate: async () => deactivate({ directoryUrl, fetch }, await account()),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

onEachDatabase('an account that was deactivated', ({ open }) => {
  test('is replaced while the server runs, which then gets what it was refused', { skip }, async () => {
    await using database = await open()
    await using server = await start(database)
    const { node, account, replace } = server
    assert.equal(await replace(), 'none')
    await node.get('first.acme.test')
    const first = await account()
    assert.equal(await replace(), 'valid')
    assert.equal((await account()).url, first.url)

    await server.deactivate()
    await node.request('second.acme.test')
    await node.until(async () => (await node.state('second.acme.test')).attempts === 1)
    const { lastError } = await node.state('second.acme.test')
    assert.equal(lastError?.kind, 'account_refused')

    assert.equal(await replace(), 'replaced')
    assert.notEqual((await account()).url, first.url)
    await node.untilValid('second.acme.test')
    assert.equal(await replace(), 'valid')
  })

  test('is replaced by the next call if one was interrupted, or the CA refused the new account', {
    skip,
  }, async () => {
    await using database = await open()
    await using server = await start(database)
    const { node, account, replace } = server
    await node.get('first.acme.test')
    const first = await account()
    await node.stopWorking()
    await server.deactivate()
    await assert.rejects(replace({ register: losing }), { name: 'AccountKeyError' })
    assert.equal(await replace(), 'replaced')
    assert.notEqual((await account()).url, first.url)
    assert.equal(await replace(), 'valid')
  })

  test('is replaced by the server if the command was interrupted, which then gets what it was refused', {
    skip,
  }, async () => {
    await using database = await open()
    await using server = await start(database)
    const { node, replace } = server
    await node.get('first.acme.test')
    await server.deactivate()
    await node.request('second.acme.test')
    await node.until(async () => (await node.state('second.acme.test')).attempts === 1)
    await assert.rejects(replace({ register: losing }), { name: 'AccountKeyError' })
    await node.get('third.acme.test')
    assert.ok(await server.isRetried('second.acme.test'))
    await node.untilValid('second.acme.test')
  })

  test('is replaced although a change of its key was interrupted', { skip }, async () => {
    await using database = await open()
    await using server = await start(database)
    const { node, account, replace } = server
    await node.get('first.acme.test')
    const first = await account()
    await node.stopWorking()
    await assert.rejects(server.changeKey({ changeKey: losing }))
    await server.deactivate()
    assert.equal(await replace(), 'replaced')
    assert.notEqual((await account()).url, first.url)
  })

  test('is replaced once by two commands, and a change of the new key begun in between loses nothing', {
    skip,
  }, async () => {
    await using database = await open()
    await using server = await start(database)
    const { node, client, account, replace } = server
    await node.get('first.acme.test')
    await node.stopWorking()
    await assert.rejects(server.changeKey({ changeKey: losing }))
    await server.deactivate()
    let url = ''
    // The last question before the account is replaced.
    const findAccount: AcmeClient['findAccount'] = async (key) => {
      const found = await client.findAccount(key)
      if (url !== '') return found
      assert.equal(await replace(), 'replaced')
      url = (await account()).url
      const changeKey: AcmeClient['changeKey'] = async (...input) => {
        await client.changeKey(...input)
        throw lost
      }
      await assert.rejects(server.changeKey({ changeKey }))
      return found
    }
    assert.equal(await replace({ findAccount }), 'valid')
    assert.equal((await account()).url, url)
    assert.equal(await client.accountRefusal(await account()), null)
  })
})

onEachDatabase('an account that the CA accepts again', ({ open }) => {
  test('stays, and names that were refused are tried again', { skip }, async () => {
    await using database = await open()
    const proxy = faultProxy([refusal('unauthorized', 'the account is suspended')])
    await using server = await start(database, proxy)
    const { node, replace } = server
    await node.request('first.acme.test')
    await node.until(async () => (await node.state('first.acme.test')).attempts === 1)
    assert.equal((await node.state('first.acme.test')).lastError?.kind, 'account_refused')
    proxy.faults.length = 0
    assert.equal(await replace(), 'valid')
    assert.ok(await server.isRetried('first.acme.test'))
  })
})

onEachDatabase('an account whose key the CA changed while we did not hear of it', ({ open }) => {
  for (const kind of ['malformed', 'account_refused', 'account_missing'] as const) {
    test(`stays if the CA rejects the old key as ${kind}`, { skip }, async () => {
      await using database = await open()
      await using server = await start(database)
      const { node, client, account, replace } = server
      await node.get('first.acme.test')
      const first = await account()
      await node.stopWorking()
      const changeKey: AcmeClient['changeKey'] = async (...input) => {
        await client.changeKey(...input)
        throw lost
      }
      await assert.rejects(server.changeKey({ changeKey }))
      const accountRefusal: AcmeClient['accountRefusal'] = async (asked) => {
        if ((await account()).sealedKey !== first.sealedKey) return client.accountRefusal(asked)
        if (kind === 'account_refused') return 'The CA responded with unauthorized'
        throw new AcmeProblem(kind, 'The CA rejected the signature')
      }
      assert.equal(await replace({ accountRefusal }), 'valid')
      assert.equal((await account()).url, first.url)
      assert.equal(await client.accountRefusal(await account()), null)
    })
  }
})
