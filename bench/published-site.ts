import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createRoot, issueLeaf } from '@masthead/server/src/certificates/internal-ca/internal-ca.ts'
import { generateKeyPair, privateKeyPem } from '@masthead/server/src/certificates/x509/key-pair.ts'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { type MastheadOptions, MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { host, makeSite } from './site.ts'

export interface BenchCertificate {
  rootPem: string
  chainPem: string
  keyPem: string
}

/** ECDSA on P-256, with its own root. */
export async function newCertificate(name: string): Promise<BenchCertificate> {
  const now = Date.now()
  const root = await createRoot(now)
  const keys = await generateKeyPair()
  const { chainPem } = await issueLeaf(root, { name, publicKey: keys.publicKey, now })
  return { rootPem: root.certificatePem, chainPem, keyPem: privateKeyPem(keys) }
}

/** A new server with an account, and a key to publish with. */
export interface BenchPublisher extends AsyncDisposable {
  masthead: MastheadProcess
  key: string
  createProject(slug: string): Promise<unknown>
  /** The path of a tar.gz. */
  publishArchive(slug: string, archive: string): Promise<unknown>
}

export async function startPublisher(options: MastheadOptions = {}): Promise<BenchPublisher> {
  const masthead = await MastheadProcess.start(options)
  try {
    const publisher = await createPublisher(masthead)
    return {
      masthead,
      key: publisher.key,
      createProject: publisher.createProject,
      publishArchive: async (slug, archive) =>
        publisher.publishArchive(slug, new Uint8Array(await readFile(archive))),
      [Symbol.asyncDispose]: () => masthead.stop(),
    }
  } catch (error) {
    await masthead.stop()
    throw error
  }
}

export interface SecureSite extends AsyncDisposable {
  folder: string
  rootPem: string
  certificate: { certificateFile: string; keyFile: string }
  /** Masthead's. */
  httpsPort: number
}

/** A site and its certificate as files, and Masthead on one core serving them. */
export async function startSecureSite(core: number, env: Record<string, string> = {}): Promise<SecureSite> {
  await using started = new AsyncDisposableStack()
  const site = started.use(await makeSite())
  const { path, remove } = await temporaryFolder('masthead-certificate')
  started.defer(remove)
  const { rootPem, chainPem, keyPem } = await newCertificate(host)
  const certificate = { certificateFile: join(path, 'chain.pem'), keyFile: join(path, 'key.pem') }
  await writeFile(certificate.certificateFile, chainPem)
  await writeFile(certificate.keyFile, keyPem)
  const publisher = started.use(
    await startPublisher({
      under: ['taskset', '-c', String(core)],
      env: {
        MASTHEAD_PLATFORM_CERTIFICATE: certificate.certificateFile,
        MASTHEAD_PLATFORM_KEY: certificate.keyFile,
        MASTHEAD_LOG: 'warn',
        ...env,
      },
    }),
  )
  await publisher.createProject('bench')
  await publisher.publishArchive('bench', site.archive)
  const { httpsPort } = publisher.masthead
  const all = started.move()
  const stop = () => all.disposeAsync()
  return { folder: site.folder, rootPem, certificate, httpsPort, [Symbol.asyncDispose]: stop }
}
