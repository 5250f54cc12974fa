import { OpenConnection } from '@masthead/testing/clients/open-connection.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { median, megabytes, milliseconds, percentile, ratio, type Table, whole } from '../report.ts'
import { projectOf, type SeededDomains, seedDomains, seededName } from './seed.ts'

const [few, many] = [1_000, 1_000_000]
const namesInUse = 1_000
/** Among the million, to separate what grows with names in use from what grows with names owned. */
const manyInUse = 10 * namesInUse
const rounds = 3
const connections = 8
/** The same for any number of names in use, so that nothing else differs. */
const requestsOfConnection = manyInUse

const least = (values: readonly number[]) => Math.min(...values)
const most = (values: readonly number[]) => Math.max(...values)

/** What is measured of a process: its title, how rounds are combined, and how it is formatted. */
const figures = {
  coldMedian: { title: 'first request, median', of: least, write: milliseconds },
  coldP99: { title: 'p99', of: least, write: milliseconds },
  warmRate: { title: 'warm, requests/s', of: most, write: whole },
  restingBytes: { title: 'memory at start', of: median, write: megabytes },
  usedBytes: { title: `with ${whole(namesInUse)} names in use`, of: median, write: megabytes },
  manyUsedBytes: { title: `with ${whole(manyInUse)}`, of: median, write: megabytes },
} as const

type Figure = keyof typeof figures
/** NaN if there are not enough names. */
type Figures = Record<Figure, number>
const figureNames = Object.keys(figures) as Figure[]

/** New processes look up hosts among a thousand domains and among a million. */
export async function measureManyDomains(): Promise<Table> {
  const rows = [...(await compare('postgres', 'PostgreSQL')), ...(await compare('sqlite', 'SQLite'))]
  return {
    title: 'A thousand domains and a million',
    columns: ['database', 'domains', ...figureNames.map((name) => figures[name].title)],
    rows,
    notes: [
      `An edge process that has just started, asked over HTTP for ${whole(namesInUse)} names in random order, one after the`,
      `other; then for the same ones over ${connections} connections. The best of ${rounds} rounds in turns, each with a process of its own,`,
      'since what else runs on a machine only slows. Of the million, each round asks for other names; of the thousand, for',
      `all. Memory is the resident set, the median of the rounds; with ${whole(manyInUse)} names in use, that of one more process`,
      'that was asked for so many in the same way.',
    ],
  }
}

async function compare(dialect: 'postgres' | 'sqlite', title: string): Promise<string[][]> {
  await using small = await seedDomains(dialect, few)
  await using large = await seedDomains(dialect, many)
  const [ofFew, ofMany]: [Figures[], Figures[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    ofFew.push({ ...(await measure(small, someOf(few, namesInUse, round))), manyUsedBytes: Number.NaN })
    const measured = await measure(large, someOf(many, namesInUse, round))
    const { usedBytes: manyUsedBytes } = await measure(large, someOf(many, manyInUse, round))
    ofMany.push({ ...measured, manyUsedBytes })
  }
  const figure = (all: readonly Figures[], name: Figure) => figures[name].of(all.map((each) => each[name]))
  const written = (all: readonly Figures[]) =>
    figureNames.map((name) => ifKnown(figure(all, name), figures[name].write))
  const ratioOf = (name: Figure) => ifKnown(figure(ofFew, name), (base) => ratio(figure(ofMany, name), base))
  return [
    [title, whole(few), ...written(ofFew)],
    [title, whole(many), ...written(ofMany)],
    [title, 'ratio', ...figureNames.map(ratioOf)],
  ]
}

function ifKnown(value: number, write: (value: number) => string): string {
  return Number.isNaN(value) ? '–' : write(value)
}

type Measured = Omit<Figures, 'manyUsedBytes'>

async function measure({ env }: SeededDomains, numbers: readonly number[]): Promise<Measured> {
  await using edge = await MastheadProcess.start({ env: { ...env, MASTHEAD_ROLES: 'edge' } })
  const restingBytes = await edge.rss()
  const cold = await firstRequests(edge, numbers)
  // Warm-up, or the compiler would be measured.
  await rateOf(edge, numbers)
  const warmRate = await rateOf(edge, numbers)
  const usedBytes = await edge.rss()
  return { coldMedian: median(cold), coldP99: percentile(cold, 99), warmRate, restingBytes, usedBytes }
}

/** Spread evenly, and other names in every round if there are enough, so that the database has none cached. */
function someOf(stock: number, count: number, round: number): number[] {
  return shuffled(Array.from({ length: count }, (_, index) => (index * (stock / count) + round) % stock))
}

/** A uniform shuffle. */
function shuffled(numbers: readonly number[]): number[] {
  const drawn = numbers.map((n) => ({ n, lot: Math.random() }))
  return drawn.sort((one, other) => one.lot - other.lot).map(({ n }) => n)
}

async function firstRequests({ httpPort }: MastheadProcess, numbers: readonly number[]): Promise<number[]> {
  using connection = await OpenConnection.to(httpPort)
  const took: number[] = []
  for (const n of numbers) {
    const start = performance.now()
    await requestDomain(connection, n)
    took.push(performance.now() - start)
  }
  return took
}

async function rateOf({ httpPort }: MastheadProcess, numbers: readonly number[]): Promise<number> {
  const start = performance.now()
  await Promise.all(
    Array.from({ length: connections }, async () => {
      using connection = await OpenConnection.to(httpPort)
      for (let pass = 0; pass < requestsOfConnection / numbers.length; pass++) {
        for (const n of numbers) await requestDomain(connection, n)
      }
    }),
  )
  const seconds = (performance.now() - start) / 1000
  return (connections * requestsOfConnection) / seconds
}

async function requestDomain(connection: OpenConnection, n: number): Promise<void> {
  const { status, body } = await connection.ask(seededName(n))
  if (status !== 200 || body !== projectOf(n)) throw new Error(`${seededName(n)}: ${status} ${body}`)
}
