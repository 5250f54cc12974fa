import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { newCertificate } from './bench-certificate.ts'
import { host, makeSite } from './bench-site.ts'
import { startPublisher } from './publisher.ts'

export interface SecureSite extends AsyncDisposable {
  folder: string
  rootPem: string
  certificate: { certificateFile: string; keyFile: string }
  /** Of Masthead, which serves it. */
  httpsPort: number
}

/** The site with a certificate in files, and Masthead on one core serving both. */
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
