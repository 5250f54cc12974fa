import { OpenConnection } from '@masthead/testing/clients/open-connection.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { startLoad } from '../load-generators.ts'
import { milliseconds, percentile, type Table, whole } from '../report.ts'
import { projectOf, type SeededDomains, seedDomains, seededName } from './seed.ts'

const edgeCount = 4
const removals = 200
/** Names that stay, for the load. */
const staying = 100
const promised = 100
/** After this, a domain counts as never refused. */
const longestWatch = 30_000

/** How long each connection of wrk pauses after an answer, in milliseconds. */
const loads = [
  { title: 'none', pause: null },
  { title: 'steady', pause: 10 },
  { title: 'full', pause: 0 },
] as const

interface Removals {
  /** Milliseconds from the API's answer to the first refusal, per domain and edge. */
  delays: number[]
  /** Answers with the page that arrived later than promised. */
  servedLate: number
}

/** How long other processes still serve a removed domain on open connections. */
export async function measureRemoval(): Promise<Table> {
  await using stock = await seedDomains('postgres', staying + loads.length * removals)
  await using edges = new AsyncDisposableStack()
  const ports: number[] = []
  for (let edge = 0; edge < edgeCount; edge++) {
    const env = { ...stock.env, MASTHEAD_ROLES: 'edge' }
    ports.push(edges.use(await MastheadProcess.start({ env })).httpPort)
  }
  const hosts = Array.from({ length: staying }, (_, n) => seededName(n))
  const rows: string[][] = []
  const broken: string[] = []
  for (const [index, { title, pause }] of loads.entries()) {
    const running =
      pause === null ? [] : await Promise.all(ports.map((port) => startLoad(port, hosts, pause)))
    const measured = await removeAll(stock, ports, staying + index * removals)
    const rates = await Promise.all(running.map((load) => load.stop()))
    rows.push([title, whole(rates.reduce((sum, rate) => sum + rate, 0)), ...written(measured)])
    if (measured.servedLate > 0) {
      broken.push(
        `Load ${title}: removed domains were served ${measured.servedLate} times after ${promised} ms.`,
      )
    }
  }
  return {
    title: 'From the answer to a removal to the refusal',
    columns: ['load', 'requests/s', 'p50', 'p99', 'longest', `served later than ${promised} ms`],
    rows,
    broken,
    notes: [
      `One API process and ${edgeCount} edge processes on one PostgreSQL, all on this machine, and so is what loads and measures`,
      `them. ${removals} domains are removed one after the other, while each edge is asked for them as fast as it answers, over`,
      'a connection that stays open. 0.00 ms: refused before the answer was there. Served: the page was received, whenever it',
      'was asked for. The load is wrk on every edge, for other custom domains; at full load the machine has no processor time',
      'left, for PostgreSQL neither.',
    ],
  }
}

function written({ delays, servedLate }: Removals): string[] {
  return [...[50, 99, 100].map((percent) => milliseconds(percentile(delays, percent))), whole(servedLate)]
}

async function removeAll(
  { api, publisher }: SeededDomains,
  ports: number[],
  first: number,
): Promise<Removals> {
  using open = new DisposableStack()
  const connect = async (port: number) => open.use(await OpenConnection.to(port))
  const toApi = await connect(api.httpPort)
  const toEdges = await Promise.all(ports.map(connect))
  const all: Removals = { delays: [], servedLate: 0 }
  for (let n = first; n < first + removals; n++) {
    for (const edge of toEdges) await assertAnswer(edge, n, 200)
    const answered = Promise.withResolvers<number>()
    const watching = toEdges.map((edge) => watch(edge, n, answered.promise))
    const path = `/v1/projects/${projectOf(n)}/domains/${seededName(n)}`
    const { status, body } = await toApi.send('DELETE', 'localhost', path, {
      authorization: `Bearer ${publisher.key}`,
    })
    if (status !== 200) throw new Error(`DELETE ${path}: ${status} ${body}`)
    answered.resolve(performance.now())
    for (const { delay, servedLate } of await Promise.all(watching)) {
      all.delays.push(delay)
      all.servedLate += servedLate
    }
  }
  // Once refused, it must stay refused.
  for (let n = first; n < first + removals; n++) {
    for (const edge of toEdges) await assertAnswer(edge, n, 404)
  }
  return all
}

/**
 * Requests a domain until it is refused, and records when each page arrived: for a visitor a domain is served as long as
 * its pages arrive. A 503 is neither served nor refused.
 */
async function watch(edge: OpenConnection, n: number, answered: Promise<number>) {
  const served: number[] = []
  const giveUpAt = performance.now() + longestWatch
  for (;;) {
    const { status } = await edge.ask(seededName(n))
    const receivedAt = performance.now()
    if (status === 404) {
      const answeredAt = await answered
      const servedLate = served.filter((at) => at > answeredAt + promised).length
      return { delay: Math.max(0, receivedAt - answeredAt), servedLate }
    }
    if (status === 200) served.push(receivedAt)
    else if (status !== 503) throw new Error(`${seededName(n)} was answered with ${status}`)
    if (receivedAt > giveUpAt) throw new Error(`${seededName(n)} is not refused`)
  }
}

async function assertAnswer(edge: OpenConnection, n: number, wanted: number): Promise<void> {
  const { status } = await edge.ask(seededName(n))
  if (status !== wanted) throw new Error(`${seededName(n)} was answered with ${status}, not ${wanted}`)
}
