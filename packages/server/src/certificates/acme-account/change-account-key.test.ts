import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import type { Database } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { type AcmeClient, createAcmeClient } from '../acme/acme-client.ts'
import { fetchWithRoots } from '../acme/fetch-with-roots.ts'
import { AcmeProblem } from '../acme/problem.ts'
import { unknownAuthority } from '../authorities/authorities.ts'
import { startPebbleCa } from '../issuing.test-kit.ts'
import { purposes } from '../sealed-columns.ts'
import { keyPairFromPem } from '../x509/key-pair.ts'
import { changeAccountKey } from './change-account-key.ts'

const skip = skipWithout('pebble')

/** A running server that has an account, and the command. */
async function start(database: Database) {
  const ca = await startPebbleCa()
  const node = await ca.startWorking(database)
  await node.get('first.acme.test')
  const { directoryUrl, rootsPem } = ca.pebble
  const client = createAcmeClient({ directoryUrl, fetch: fetchWithRoots(rootsPem), now: Date.now })
  const { context } = node
  return {
    ca,
    node,
    client,
    change: (using: Pick<AcmeClient, 'findAccount' | 'changeKey'> = client) =>
      changeAccountKey(context, using, unknownAuthority(directoryUrl)),
    async accounts() {
      const rows = await database.read.selectFrom('acme_accounts').selectAll().execute()
      return rows.map(({ directory, sealed_key }) =>
        keyPairFromPem(context.sealing.open(sealed_key, purposes.account(directory)).toString()),
      )
    },
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]()
      await ca[Symbol.asyncDispose]()
    },
  }
}

onEachDatabase('the account key', ({ open }) => {
  test('can be changed while the server runs, and its next orders use the new one', { skip }, async () => {
    await using database = await open()
    await using server = await start(database)
    const { node, client, change, accounts } = server
    const [old = assert.fail()] = await accounts()
    await change()
    const [key = assert.fail(), ...others] = await accounts()
    assert.equal(others.length, 0)
    assert.equal(await client.findAccount(old), null)
    assert.notEqual(await client.findAccount(key), null)
    await node.get('second.acme.test')
    assert.ok(node.progress.every(({ progress }) => progress.step !== 'failed'))
    await change()
    await node.get('third.acme.test')
  })

  test('works wherever the change was interrupted: the server or the command finds out which one counts', {
    skip,
  }, async () => {
    const lost = new AcmeProblem('unreachable', 'The response was lost', { mayBeDone: true })
    for (const step of ['before', 'after'] as const) {
      await using database = await open()
      await using server = await start(database)
      const { node, client, change, accounts } = server
      const changeKey: AcmeClient['changeKey'] = async (...input) => {
        if (step === 'after') await client.changeKey(...input)
        throw lost
      }
      await assert.rejects(change({ ...client, changeKey }), /The response was lost\. Run this again/)
      assert.equal((await accounts()).length, 2)
      await node.get('second.acme.test')
      assert.ok(node.progress.every(({ progress }) => progress.step !== 'failed'))
      assert.equal((await accounts()).length, step === 'after' ? 1 : 2)
      await change()
      assert.equal((await accounts()).length, 1)
      await node.get('third.acme.test')
    }
  })

  test('cannot be changed before there is an account', { skip }, async () => {
    await using database = await open()
    await using ca = await startPebbleCa()
    await using node = await ca.startWorking(database)
    const { directoryUrl, rootsPem } = ca.pebble
    const client = createAcmeClient({ directoryUrl, fetch: fetchWithRoots(rootsPem), now: Date.now })
    const changing = changeAccountKey(node.context, client, unknownAuthority(directoryUrl))
    await assert.rejects(changing, { name: 'AccountKeyError', message: /created with the first certificate/ })
  })
})
