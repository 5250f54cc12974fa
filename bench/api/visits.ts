import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { clientCore, serverCore } from '../edge/contenders.ts'
import { pinToClientCore, startVisitor } from '../edge/hostile/start-visitor.ts'
import { loadOverHttp1 } from '../load-generators.ts'
import { startPublisher } from '../published-site.ts'
import { median, milliseconds, percentile, ratio, type Table, whole } from '../report.ts'

const rounds = 7
const secondsPerRound = 5
const warmUpRounds = 3
/** What we promise visitors while the API is loaded. */
const maxSlowdown = 2

/**
 * How long visitors of a warm site wait while programs with a key use all of the server's core, compared to an idle
 * server. Visitor and load share the other core, with priority for the visitor.
 */
export async function measureVisitsUnderApiLoad(): Promise<Table> {
  using _pinned = pinToClientCore()
  await using publisher = await startPublisher({
    under: ['taskset', '-c', String(serverCore)],
    env: { MASTHEAD_LOG: 'warn' },
  })
  await publisher.createProject('bench')
  await publisher.publishArchive('bench', tarGz({ 'index.html': 'Benchmarks' }))
  await using visitor = startVisitor({
    how: 'kept',
    port: publisher.masthead.httpPort,
    host: 'bench.masthead.localhost',
    everyMs: 4,
  })
  const rates: number[] = []
  async function visitUnderLoad(): Promise<number[]> {
    const load = loadOverHttp1({
      url: `${publisher.masthead.origin.replace('localhost', '127.0.0.1')}/v1/account`,
      headers: { Authorization: `Bearer ${publisher.key}` },
      core: clientCore,
      // It begins before the visits and ends after them.
      seconds: secondsPerRound + 2,
    })
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    const visits = await visitor.visitFor(secondsPerRound)
    rates.push((await load).perSecond)
    return visits
  }
  // A new server still compiles its code, on the same core.
  for (let round = 0; round < warmUpRounds; round++) await visitUnderLoad()
  const waits = { idle: [] as number[][], loaded: [] as number[][] }
  for (let round = 0; round < rounds; round++) {
    waits.idle.push(await visitor.visitFor(secondsPerRound))
    waits.loaded.push(await visitUnderLoad())
  }
  // A few milliseconds in which the machine does something else decide the 99th percentile of one round.
  const middle = (each: number[][], percent: number) =>
    median(each.map((waited) => percentile(waited, percent)))
  const times = middle(waits.loaded, 99) / middle(waits.idle, 99)
  const row = (name: string, each: number[][]) => [
    name,
    ...[50, 99].map((percent) => milliseconds(middle(each, percent))),
    ratio(middle(each, 99), middle(waits.idle, 99)),
  ]
  return {
    title: 'Visits while the API is loaded',
    columns: ['', 'median', 'p99', 'to idle p99'],
    rows: [row('idle', waits.idle), row('loaded', waits.loaded)],
    notes: [
      `The server on one core; ${whole(waits.loaded.flat().length)} visits and wrk (64 connections, GET /v1/account with a key) on the other, the`,
      `visitor's process first. The median of ${rounds} rounds in turns. The API answered up to ${whole(Math.max(...rates))} requests/s meanwhile.`,
    ],
    broken: times > maxSlowdown ? [`Visitors wait ${times.toFixed(1)} times as long as idle.`] : [],
  }
}
