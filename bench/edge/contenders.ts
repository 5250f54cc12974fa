import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { newCertificate } from '../published-site.ts'
import { type Serving, startCaddy, startH2o, startNginx } from '../rival-servers.ts'
import { folderOf, type MixedFile } from './mixed/sites.ts'
import { copyPreparedSites, hosts } from './prepared-sites.ts'
import { processesOn } from './processor-time.ts'

/** Every server has this core for itself, and every client the other one. */
export const [serverCore, clientCore] = [0, 1]

const rivals = { nginx: startNginx, Caddy: startCaddy, h2o: startH2o }
export type RivalName = keyof typeof rivals
export const allRivals = Object.keys(rivals) as RivalName[]

/** A server that takes part. */
export interface Contender {
  name: 'Masthead' | RivalName
  httpPort: number
  httpsPort: number
  pids: number[]
}

export interface Contest extends AsyncDisposable {
  rootPem: string
  certificate: Serving['certificate']
  /** Masthead first. */
  contenders: Contender[]
  /** Of the mixed load. */
  mixedFiles: MixedFile[]
}

/** Masthead and its rivals with the same files and the same certificate, all running on the same core. */
export async function startContest(
  names: readonly RivalName[],
  env: Record<string, string> = {},
): Promise<Contest> {
  await using started = new AsyncDisposableStack()
  const { root, dataFolder, mixedFiles } = started.use(await copyPreparedSites())
  const { rootPem, certificate } = await writeCertificate(root)
  const masthead = started.use(
    await MastheadProcess.start({
      under: ['taskset', '-c', String(serverCore)],
      dataFolder,
      env: {
        MASTHEAD_PLATFORM_CERTIFICATE: certificate.certificateFile,
        MASTHEAD_PLATFORM_KEY: certificate.keyFile,
        MASTHEAD_LOG: 'warn',
        ...env,
      },
    }),
  )

  const { httpPort, httpsPort } = masthead
  const contenders: Contender[] = [
    { name: 'Masthead', httpPort, httpsPort, pids: await processesOn(httpsPort) },
  ]
  const sites = hosts.map((each) => ({ host: each, folder: folderOf(root, each) }))
  const serving: Serving = { sites, core: serverCore, certificate }
  for (const name of names) {
    const server = started.adopt(await rivals[name](serving), ({ stop }) => stop())
    contenders.push({ name, ...server, pids: await processesOn(server.httpsPort) })
  }
  const all = started.move()
  return { rootPem, certificate, contenders, mixedFiles, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

/** As files, for every name here. */
async function writeCertificate(folder: string) {
  const { rootPem, chainPem, keyPem } = await newCertificate('*.masthead.localhost')
  const certificate = { certificateFile: join(folder, 'chain.pem'), keyFile: join(folder, 'key.pem') }
  await writeFile(certificate.certificateFile, chainPem)
  await writeFile(certificate.keyFile, keyPem)
  return { rootPem, certificate }
}
