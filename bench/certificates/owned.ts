import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { purposes } from '@masthead/server/src/certificates/sealed-columns.ts'
import { masterKeyPath, readMasterKeyFile } from '@masthead/server/src/secrets/master-key.ts'
import { createSealing } from '@masthead/server/src/secrets/sealing.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { projectOf, type SeededDomains, seedDomains, seededName } from '../domains/seed.ts'
import { visitOverHttps } from '../https-visits.ts'
import { newCertificate } from '../published-site.ts'
import { median, megabytes, ratio, seconds, type Table, whole } from '../report.ts'

/** Domains in SQLite that all have the same certificate, sealed for each name. */
interface SeededCertificates extends SeededDomains {
  rootPem: string
}

async function seedCertificates(count: number): Promise<SeededCertificates> {
  const domains = await seedDomains('sqlite', count)
  const { dataFolder } = domains.api
  const keys = readMasterKeyFile(masterKeyPath(dataFolder))
  if (keys === null) throw new Error('The server has no master key')
  const sealing = createSealing(keys)
  const { rootPem, chainPem, keyPem } = await newCertificate('www.shop.test')
  const day = 24 * 60 * 60 * 1000
  const now = Date.now()

  using database = new DatabaseSync(join(dataFolder, 'masthead.db'))
  const insert = database.prepare(
    `insert into certificates (name, issuer_kind, issuer, serial, chain, sealed_key, not_before, not_after,
       installed_at, renew_at, check_at)
     values (?, 'internal', 'internal', ?, ?, ?, ${now}, ${now + 7 * day}, ${now}, ${now + 5 * day}, ${now + 5 * day})`,
  )
  database.exec('begin')
  for (let n = 0; n < count; n++) {
    const name = seededName(n)
    insert.run(name, n.toString(16), chainPem, sealing.seal(keyPem, purposes.certificate(name)))
  }
  database.exec('commit')
  database.exec('analyze')
  return { ...domains, rootPem }
}

const [few, many] = [1_000, 100_000]
const namesInUse = 1_000
const rounds = 3
const concurrency = 16

/** All names have the same certificate. */
const ignoreHostname = { checkServerIdentity: () => undefined }

const figures = {
  start: { title: 'start', of: (values: readonly number[]) => Math.min(...values), write: seconds },
  restingBytes: { title: 'memory at start', of: median, write: megabytes },
  usedBytes: { title: `with ${whole(namesInUse)} in use`, of: median, write: megabytes },
} as const

type Figure = keyof typeof figures
type Figures = Record<Figure, number>
const figureNames = Object.keys(figures) as Figure[]

/** What unused certificates cost. */
export async function measureOwnedCertificates(): Promise<Table> {
  await using small = await seedCertificates(few)
  await using large = await seedCertificates(many)
  const [ofFew, ofMany]: [Figures[], Figures[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    ofFew.push(await measure(small, few))
    ofMany.push(await measure(large, many))
  }
  const figure = (all: readonly Figures[], name: Figure) => figures[name].of(all.map((each) => each[name]))
  const written = (all: readonly Figures[]) =>
    figureNames.map((name) => figures[name].write(figure(all, name)))
  return {
    title: 'A thousand certificates and a hundred thousand',
    columns: ['certificates', ...figureNames.map((name) => figures[name].title)],
    rows: [
      [whole(few), ...written(ofFew)],
      [whole(many), ...written(ofMany)],
      ['ratio', ...figureNames.map((name) => ratio(figure(ofMany, name), figure(ofFew, name)))],
    ],
    notes: [
      `A process with edge and worker on SQLite that has just started, then asked over HTTPS for ${whole(namesInUse)} names, each`,
      `on a connection of its own with a whole handshake. Start: from nothing to the first answer, the best of ${rounds} rounds in`,
      'turns; memory is the resident set, the median of the rounds.',
    ],
  }
}

async function measure({ env, rootPem }: SeededCertificates, stock: number): Promise<Figures> {
  const begin = performance.now()
  await using masthead = await MastheadProcess.start({ env: { ...env, MASTHEAD_ROLES: 'edge,worker' } })
  const start = (performance.now() - begin) / 1000
  const restingBytes = await masthead.rss()
  const numbers = Array.from({ length: namesInUse }, (_, index) => index * (stock / namesInUse))
  const asked = numbers.values()
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const n of asked) {
        const { status, body } = await visitOverHttps(
          masthead.httpsPort,
          seededName(n),
          rootPem,
          ignoreHostname,
        )
        if (status !== 200 || body !== projectOf(n)) throw new Error(`${seededName(n)}: ${status} ${body}`)
      }
    }),
  )
  return { start, restingBytes, usedBytes: await masthead.rss() }
}
