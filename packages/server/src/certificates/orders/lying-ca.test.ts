import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { day } from '../../kernel/clock.ts'
import type { Fetch } from '../acme/exchange.ts'
import { createRoot, issueLeaf } from '../internal-ca/internal-ca.ts'
import { type Node, startPebbleCa } from '../issuing.test-kit.ts'
import { findJob } from '../jobs/job-store.ts'
import { findCertificate } from '../read.ts'
import { renewDue } from '../renew.ts'
import { generateSerial, subjectNames } from '../x509/certificate-fields.ts'
import { generateKeyPair, keyPairFromPem, type PublicKey, signingAlgorithm } from '../x509/key-pair.ts'
import { ExtendedKeyUsage, ExtendedKeyUsageExtension, X509CertificateGenerator } from '../x509/x509.ts'
import { openOrderKey } from './saved-order.ts'

const skip = skipWithout('pebble')
const name = 'www.acme.test'
const now = Date.now()

/** A certificate as no CA should issue it. */
async function oddLeaf(publicKey: PublicKey, { hash = 'SHA-256', usage = ExtendedKeyUsage.serverAuth }) {
  const root = await createRoot(now)
  const certificate = await X509CertificateGenerator.create({
    publicKey,
    signingKey: keyPairFromPem(root.privateKeyPem).privateKey,
    signingAlgorithm: { ...signingAlgorithm, hash },
    serialNumber: generateSerial(),
    issuer: 'CN=Odd',
    notBefore: new Date(now - day),
    notAfter: new Date(now + 9 * day),
    extensions: [subjectNames([name]), new ExtendedKeyUsageExtension([usage])],
  })
  return `${certificate.toString('pem')}\n`
}

async function leaf(publicKey: PublicKey, { of = name, at = now } = {}) {
  const root = await createRoot(Math.min(at, now))
  return (await issueLeaf(root, { name: of, publicKey, now: at })).chainPem
}

const lies: { of: string; chain: (key: PublicKey) => Promise<string>; says: RegExp }[] = [
  { of: 'that is not valid yet', chain: (key) => leaf(key, { at: now + 3 * day }), says: /not valid before/ },
  { of: 'that has expired', chain: (key) => leaf(key, { at: now - 30 * day }), says: /expired/ },
  { of: 'for another name', chain: (key) => leaf(key, { of: 'acme.test' }), says: /not for www/ },
  {
    of: 'for another key',
    chain: async () => leaf((await generateKeyPair()).publicKey),
    says: /another key/,
  },
  {
    of: "with another CA's chain",
    chain: async (key) => (await leaf(key)) + (await createRoot(now)).certificatePem,
    says: /issuer is not in its chain/,
  },
  {
    of: 'for clients only',
    chain: (key) => oddLeaf(key, { usage: ExtendedKeyUsage.clientAuth }),
    says: /not for servers/,
  },
  { of: 'signed over SHA-1', chain: (key) => oddLeaf(key, { hash: 'SHA-1' }), says: /SHA-?1/i },
]

onEachDatabase('a certificate that the CA issues in renewal', ({ open }) => {
  for (const { of, chain, says } of lies) {
    test(`${of} does not replace the current one`, { skip }, async () => {
      await using ca = await startPebbleCa()
      await using database = await open()
      let lying: Node | null = null
      const fetch =
        (real: Fetch): Fetch =>
        async (url, init) => {
          const answer = await real(url, init)
          if (lying === null || !new URL(url).pathname.startsWith('/certZ')) return answer
          const { sealed_key } = (await findJob(database.read, name)) ?? {}
          const { keys } = openOrderKey(lying.context, name, sealed_key ?? assert.fail())
          return new Response(await chain(keys.publicKey), { headers: answer.headers })
        }
      await using node = await ca.startWorking(database, { fetch })
      await node.get(name)
      const before = await findCertificate(node.context, name)
      await database.write((tx) => tx.updateTable('certificates').set({ renew_at: 0, check_at: 0 }).execute())
      lying = node
      await renewDue(node.context, { warn: () => {} })
      await node.until(async () => node.installed.length > 1 || (await node.state(name)).attempts > 0)
      assert.deepEqual(await findCertificate(node.context, name), before)
      const { lastError } = await node.state(name)
      assert.equal(lastError?.kind, 'misfit')
      assert.match(lastError.message, says)
    })
  }
})
