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
  /** Asked for names that the certificate in the files is not for. */
  otherwise: PlatformCertificates
  /** The files hold another certificate now, another chain to it, or its key in another form. */
  onChanged: () => void
  log: { error(details: object, message: string): void }
  lookEvery?: number
}

export class CertificateFileError extends Error {
  override readonly name = 'CertificateFileError'
}

/**
 * A wildcard certificate that somebody else renews. The files are looked at now and then, by their time alone, so
 * that it does not matter how they are replaced; until both fit each other the certificate from before is kept.
 */
export async function filePlatformCertificates(
  options: CertificateFilesOptions,
): Promise<PlatformCertificates> {
  const { files, otherwise, onChanged, log, lookEvery = 5_000 } = options
  let current = await readFiles(files)
  let reading = Promise.resolve()

  function readAgain(): void {
    reading = reading.then(async () => {
      try {
        const read = await readFiles(files)
        if (isDeepStrictEqual(read.servable, current.servable)) return
        current = read
        onChanged()
      } catch (err) {
        log.error({ err }, "the platform's certificate could not be read anew and is used as it was")
      }
    })
  }

  const watched = [files.certificateFile, files.keyFile]
  for (const file of watched) {
    const watcher: StatWatcher = watchFile(file, { interval: lookEvery, persistent: false }, readAgain)
    watcher.unref()
  }
  return {
    async find(name, accountId) {
      return current.leaf.checkHost(name) === undefined ? otherwise.find(name, accountId) : current.servable
    },
    close() {
      for (const file of watched) unwatchFile(file, readAgain)
      otherwise.close()
    },
  }
}

async function readFiles({ certificateFile, keyFile }: CertificateFiles) {
  const chainText = await readText(certificateFile)
  const keyPem = await readText(keyFile)
  const issued = readIssuedCertificate(chainText)
  if (issued === null) throw new CertificateFileError(`${certificateFile} holds no PEM certificate chain.`)
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
    throw new CertificateFileError(`${file} holds no private key in PEM.`, { cause })
  }
}
