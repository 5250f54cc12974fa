import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { type CertificateStock, stockCertificates } from './certificate-stock.ts'
import { projectOf, stockName } from './domain-stock.ts'
import { median, megabytes, ratio, seconds, type Table, whole } from './table.ts'
import { visitSecurely } from './visit-securely.ts'

const [few, many] = [1_000, 100_000]
const namesInUse = 1_000
const rounds = 3
const atOnce = 16

/** All names have the same certificate. */
const carelessOfName = { checkServerIdentity: () => undefined }

const figures = {
  start: { title: 'start', of: (values: readonly number[]) => Math.min(...values), write: seconds },
  restingBytes: { title: 'memory at start', of: median, write: megabytes },
  usedBytes: { title: `with ${whole(namesInUse)} in use`, of: median, write: megabytes },
} as const

type Figure = keyof typeof figures
type Figures = Record<Figure, number>
const figureNames = Object.keys(figures) as Figure[]

/** What certificates cost that nobody asks for. */
export async function measureOwnedCertificates(): Promise<Table> {
  await using small = await stockCertificates(few)
  await using large = await stockCertificates(many)
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

async function measure({ env, rootPem }: CertificateStock, stock: number): Promise<Figures> {
  const begin = performance.now()
  await using masthead = await MastheadProcess.start({ env: { ...env, MASTHEAD_ROLES: 'edge,worker' } })
  const start = (performance.now() - begin) / 1000
  const restingBytes = await masthead.rss()
  const numbers = Array.from({ length: namesInUse }, (_, index) => index * (stock / namesInUse))
  const asked = numbers.values()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const n of asked) {
        const { status, body } = await visitSecurely(
          masthead.httpsPort,
          stockName(n),
          rootPem,
          carelessOfName,
        )
        if (status !== 200 || body !== projectOf(n)) throw new Error(`${stockName(n)}: ${status} ${body}`)
      }
    }),
  )
  return { start, restingBytes, usedBytes: await masthead.rss() }
}
