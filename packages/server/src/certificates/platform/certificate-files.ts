import { createPrivateKey, X509Certificate } from 'node:crypto'
import { type StatWatcher, unwatchFile, watchFile } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { ServableCertificate } from '../read.ts'
import { readIssuedCertificate } from '../x509/issued-certificate.ts'
import type { PlatformCertificates } from './platform-certificates.ts'

export interface CertificateFiles {
  certificateFile: string
  keyFile: string
}

export interface CertificateFilesOptions {
  files: CertificateFiles
  /** Used for names the certificate does not cover. */
  fallback: PlatformCertificates
  /** Called when the certificate, its chain or its key has changed. */
  onChanged: () => void
  log: { error(details: object, message: string): void }
  pollInterval?: number
}

export class CertificateFileError extends Error {
  override readonly name = 'CertificateFileError'
}

/**
 * A wildcard certificate that an external tool renews. We poll the modification times of the files, so it does not
 * matter how they are replaced, and keep the old certificate until the new files match each other.
 */
export async function filePlatformCertificates(
  options: CertificateFilesOptions,
): Promise<PlatformCertificates> {
  const { files, fallback, onChanged, log, pollInterval = 5_000 } = options
  let current = await readFiles(files)
  let reading = Promise.resolve()

  function reload(): void {
    reading = reading.then(async () => {
      try {
        const read = await readFiles(files)
        if (isDeepStrictEqual(read.servable, current.servable)) return
        current = read
        onChanged()
      } catch (err) {
        log.error({ err }, "could not reload the platform's certificate; still using the old one")
      }
    })
  }

  const watched = [files.certificateFile, files.keyFile]
  for (const file of watched) {
    const watcher: StatWatcher = watchFile(file, { interval: pollInterval, persistent: false }, reload)
    watcher.unref()
  }
  return {
    async find(name, accountId) {
      return current.leaf.checkHost(name) === undefined ? fallback.find(name, accountId) : current.servable
    },
    isPending: (name) => fallback.isPending(name),
    close() {
      for (const file of watched) unwatchFile(file, reload)
      fallback.close()
    },
  }
}

async function readFiles({ certificateFile, keyFile }: CertificateFiles) {
  const chainText = await readText(certificateFile)
  const keyPem = await readText(keyFile)
  const issued = readIssuedCertificate(chainText)
  if (issued === null)
    throw new CertificateFileError(`${certificateFile} does not contain a PEM certificate chain.`)
  const leaf = new X509Certificate(issued.chainPem)
  if (!leaf.checkPrivateKey(readKey(keyPem, keyFile))) {
    throw new CertificateFileError(`${keyFile} is not the key of the certificate in ${certificateFile}.`)
  }
  const { chainPem: chain, serial, notAfter } = issued
  const servable: ServableCertificate = { chain, keyPem, serial, notAfter }
  return { leaf, servable }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new CertificateFileError(`${file} could not be read (${code}).`, { cause })
  }
}

function readKey(pem: string, file: string) {
  try {
    return createPrivateKey(pem)
  } catch (cause) {
    throw new CertificateFileError(`${file} does not contain a private key in PEM.`, { cause })
  }
}
