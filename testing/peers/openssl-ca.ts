import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '../temporary-folder.ts'

const run = promisify(execFile)

export const encryption = ['-aes256', '-passout', 'pass:secret']

export interface OpensslRequest {
  names: readonly string[]
  /** `rsa:2048`, `ec:prime256v1` (the default) or `ed25519`. */
  key?: string
  digest?: 'sha1' | 'sha256'
  usage?: 'serverAuth' | 'clientAuth'
  days?: number
}

export type OpensslCa = Awaited<ReturnType<typeof startOpensslCa>>

/** A root and an intermediate made by `openssl`, which sign certificates as customers have them. */
export async function startOpensslCa() {
  const folder = await temporaryFolder('masthead-openssl-ca')
  const at = (file: string) => join(folder.path, file)
  const openssl = async (...args: string[]) => (await run('openssl', args, { cwd: folder.path })).stdout
  const read = (file: string) => readFile(at(file), 'utf8')
  let serial = 0

  async function createKey(file: string, kind: string): Promise<void> {
    const [algorithm = '', detail = ''] = kind.split(':')
    const option = algorithm === 'rsa' ? `rsa_keygen_bits:${detail}` : `ec_paramgen_curve:${detail}`
    const options = detail === '' ? [] : ['-pkeyopt', option]
    await openssl('genpkey', '-algorithm', algorithm.toUpperCase(), ...options, '-out', file)
  }

  await createKey('root.key', 'ec:prime256v1')
  await openssl(
    ...[
      'req',
      '-x509',
      '-new',
      '-key',
      'root.key',
      '-subj',
      '/CN=Test Root',
      '-days',
      '3650',
      '-out',
      'root.pem',
    ],
  )

  async function sign(
    name: string,
    extensions: string,
    { by, days, digest }: Record<'by' | 'days' | 'digest', string>,
  ) {
    await writeFile(at(`${name}.cnf`), extensions)
    const request = ['x509', '-req', '-in', `${name}.csr`, '-CA', `${by}.pem`, '-CAkey', `${by}.key`]
    const content = [
      '-set_serial',
      String(1_000 + serial++),
      '-days',
      days,
      `-${digest}`,
      '-extfile',
      `${name}.cnf`,
    ]
    await openssl(...request, ...content, '-out', `${name}.pem`)
  }

  await createKey('intermediate.key', 'ec:prime256v1')
  await openssl(
    'req',
    '-new',
    '-key',
    'intermediate.key',
    '-subj',
    '/O=Test/CN=Test Intermediate',
    '-out',
    'intermediate.csr',
  )
  const authority = 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n'
  await sign('intermediate', authority, { by: 'root', days: '3000', digest: 'sha256' })

  return {
    root: await read('root.pem'),
    intermediate: await read('intermediate.pem'),
    intermediateKey: await read('intermediate.key'),
    async issue(request: OpensslRequest) {
      const { names, key = 'ec:prime256v1', digest = 'sha256', usage = 'serverAuth', days = 90 } = request
      const name = `leaf-${serial}`
      await createKey(`${name}.key`, key)
      const subject = `/CN=${names[0] ?? 'www.acme.com'}`
      await openssl('req', '-new', '-key', `${name}.key`, '-subj', subject, '-out', `${name}.csr`)
      const alternative =
        names.length === 0 ? '' : `subjectAltName=${names.map((one) => `DNS:${one}`).join()}\n`
      const extensions = `${alternative}extendedKeyUsage=${usage}\nbasicConstraints=CA:FALSE\n`
      await sign(name, extensions, { by: 'intermediate', days: String(days), digest })
      const converted = (...args: string[]) => openssl('pkey', '-in', `${name}.key`, ...args)
      return {
        leaf: await read(`${name}.pem`),
        key: await read(`${name}.key`),
        /** The key as SEC 1 or PKCS #1. */
        traditional: (...args: string[]) => converted('-traditional', ...args),
        encrypted: () => converted(...encryption),
      }
    },
    remove: () => folder.remove(),
  }
}
