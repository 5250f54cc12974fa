import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { FairSemaphore } from '../../kernel/fair-queue.ts'
import { createSealing } from '../../secrets/sealing.ts'
import { issueLeaf } from '../internal-ca/internal-ca.ts'
import { createInternalIssuer, ensureInternalRoot } from '../internal-ca/internal-issuer.ts'
import { masterKey, startNode } from '../issuing.test-kit.ts'
import { findCertificate } from '../read.ts'
import { purposes } from '../sealed-columns.ts'
import { generateKeyPair, privateKeyPem } from '../x509/key-pair.ts'
import { installCertificate } from './install-certificate.ts'
import { claimDueJobs } from './job-lease-store.ts'

const name = 'www.acme.test'

onEachDatabase('installing a certificate', ({ open }) => {
  test('a key sealed under the old master key during the order is stored under the new one', async () => {
    await using database = await open()
    await using node = await startNode(database, {
      issuer: async (context) => createInternalIssuer(context, await ensureInternalRoot(context)),
    })
    const { now, sealing: old } = node.context
    await node.request(name)
    const [job = assert.fail()] = await claimDueJobs(database, {
      owner: 'a worker',
      now: now(),
      slots: new FairSemaphore(1),
    })
    const root = await ensureInternalRoot(node.context)
    const keys = await generateKeyPair()
    const issued = await issueLeaf(root, { name, publicKey: keys.publicKey, now: now() })
    const sealedKey = old.seal(privateKeyPem(keys), purposes.certificate(name))

    const fresh = randomBytes(32)
    const rotated = { ...node.context, sealing: createSealing([fresh, masterKey]) }
    await installCertificate(
      rotated,
      job,
      { issued, sealedKey },
      { issuer: node.context.issuers[0], passedOver: [] },
    )
    const found = await findCertificate({ database, sealing: createSealing([fresh]) }, name)
    assert.equal(found?.keyPem, privateKeyPem(keys))
  })
})
