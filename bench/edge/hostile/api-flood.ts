import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { startApiFlood } from '@masthead/testing/load/api-flood.ts'
import { startPublisher } from '../../published-site.ts'
import { milliseconds, percentile, ratio, type Table, whole } from '../../report.ts'
import { serverCore } from '../contenders.ts'
import { pinToClientCore, startVisitor } from './start-visitor.ts'

const rounds = 3
const secondsPerRound = 5
const secondsToWarmUp = 2
const visitEvery = 4
const connections = 20
/** What operators were promised: visitors do not notice a flood of the API from one address. */
const maxSlowdown = 3

/**
 * How long visitors of a warm site wait while a client floods the API, compared to an idle server. The server has one
 * core. Visitor and flood share the other, with priority for the visitor, whose own scheduling must not be measured.
 */
export async function measureApiFlood(): Promise<Table> {
  using _pinned = pinToClientCore()
  await using publisher = await startPublisher({ under: ['taskset', '-c', String(serverCore)] })
  await publisher.createProject('bench')
  await publisher.publishArchive('bench', tarGz({ 'index.html': 'Benchmarks' }))
  const { httpPort: port } = publisher.masthead
  await using visitor = startVisitor({
    how: 'kept',
    port,
    host: 'bench.masthead.localhost',
    everyMs: visitEvery,
  })
  let requests = 0
  async function visitDuringFlood(seconds: number): Promise<number[]> {
    const flood = await startApiFlood({ port, host: 'localhost', from: '127.0.0.9', connections })
    const visits = await visitor.visitFor(seconds)
    requests += Object.values(await flood.stop()).reduce((sum, count) => sum + count, 0)
    return visits
  }
  // A new server still compiles its code.
  await visitDuringFlood(secondsToWarmUp)
  const waits = { idle: [] as number[], flooded: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    waits.idle.push(...(await visitor.visitFor(secondsPerRound)))
    waits.flooded.push(...(await visitDuringFlood(secondsPerRound)))
  }
  const row = (name: string, each: number[]) => [
    name,
    ...[50, 99].map((percent) => milliseconds(percentile(each, percent))),
    ratio(percentile(each, 99), percentile(waits.idle, 99)),
  ]
  const times = percentile(waits.flooded, 99) / percentile(waits.idle, 99)
  return {
    title: 'Visits while the API is flooded',
    columns: ['', 'median', 'p99', 'to idle p99'],
    rows: [row('idle', waits.idle), row('flooded', waits.flooded)],
    notes: [
      `The server on one core, ${whole(waits.flooded.length)} visits and the flood on the other, the visitor's process first.`,
      `${whole(requests)} requests without a key from one address in ${secondsToWarmUp + rounds * secondsPerRound} s, over ${3 * connections} connections: 8 MiB of JSON,`,
      '60 KiB of unknown fields, and answers that are not read.',
    ],
    broken: times > maxSlowdown ? [`Visitors wait ${times.toFixed(1)} times as long as idle.`] : [],
  }
}
