import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { install } from './install.ts'
import { issueLeaf } from './internal-ca/leaf.ts'
import { createInternalIssuer, ensureInternalRoot } from './internal-issuer.ts'
import { masterKey, startNode } from './issuing.test-kit.ts'
import { claimDueJobs } from './job-store.ts'
import { newKeyPair, privateKeyPem } from './key-pair.ts'
import { findCertificate } from './read.ts'
import { purposes } from './sealed-values.ts'
import { createSealing } from './sealing.ts'

const name = 'www.acme.test'

onEachDatabase('installing', ({ open }) => {
  test('a key that an order was begun with under the old master key is stored under the new one', async () => {
    await using database = await open()
    await using node = await startNode(database, {
      issuer: async (context) => createInternalIssuer(context, await ensureInternalRoot(context)),
    })
    const { now, sealing: old } = node.context
    await node.request(name)
    const [job = assert.fail()] = await claimDueJobs(database, { owner: 'a worker', now: now(), most: 1 })
    const root = await ensureInternalRoot(node.context)
    const keys = await newKeyPair()
    const issued = await issueLeaf(root, { name, publicKey: keys.publicKey, now: now() })
    const sealedKey = old.seal(privateKeyPem(keys), purposes.certificate(name))

    const fresh = randomBytes(32)
    const rotated = { ...node.context, sealing: createSealing([fresh, masterKey]) }
    await install(rotated, job, { issued, sealedKey })
    const found = await findCertificate({ database, sealing: createSealing([fresh]) }, name)
    assert.equal(found?.keyPem, privateKeyPem(keys))
  })
})
