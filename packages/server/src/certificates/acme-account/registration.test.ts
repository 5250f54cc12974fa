import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { TestPebble } from '../acme/pebble.test-kit.ts'
import { unknownAuthority } from '../authorities/authorities.ts'
import { startNode, startOwnPebbleCa } from '../issuing.test-kit.ts'
import { insertAccount, setAccountUrl } from './account-store.ts'
import { missingExternalAccount } from './registration.ts'

const skip = skipWithout('pebble')
const hmacKey = Buffer.from('a secret of the other account').toString('base64url')

onEachDatabase('a CA that requires external account binding', ({ open }) => {
  test('is reported until there is an account', { skip }, async () => {
    await using pebble = await TestPebble.open({ externalAccounts: { 'kid-1': hmacKey } })
    await using database = await open()
    const directory = pebble.ca.directoryUrl
    const missing = () => missingExternalAccount({ database }, pebble.client(), unknownAuthority(directory))
    assert.match((await missing()) ?? '', /set MASTHEAD_CA_EAB_KID and MASTHEAD_CA_EAB_HMAC_KEY/)
    await database.write((tx) =>
      insertAccount(tx, { directory, url: null, sealed_key: 'sealed', created_at: 0 }),
    )
    assert.notEqual(await missing(), null)
    await database.write((tx) => setAccountUrl(tx, directory, `${directory}/account/1`))
    assert.equal(await missing(), null)
  })

  test('is distinguished from one that does not', { skip }, async () => {
    await using pebble = await TestPebble.open()
    await using database = await open()
    const authority = unknownAuthority(pebble.ca.directoryUrl)
    assert.equal(await missingExternalAccount({ database }, pebble.client(), authority), null)
  })

  test('gives a domain a hint that it is not its fault', { skip }, async () => {
    await using ca = await startOwnPebbleCa({ externalAccounts: { 'kid-1': hmacKey } })
    await using database = await open()
    await using node = await startNode(database, { issuer: ca.issuer() })
    node.work()
    await node.request('www.acme.test')
    await node.until(async () => (await node.state('www.acme.test')).attempts === 1)
    const { lastError, status } = await node.state('www.acme.test')
    assert.deepEqual([status, lastError?.kind], ['pending', 'account_refused'])
    assert.match(lastError?.hint ?? '', /Tell your operator/)
  })
})
