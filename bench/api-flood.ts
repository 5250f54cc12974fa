import { setTimeout as sleep } from 'node:timers/promises'
import { startApiFlood } from '@masthead/testing/api-flood.ts'
import { OpenConnection } from '@masthead/testing/open-connection.ts'
import { makeSite } from './bench-site.ts'
import { startPublisher } from './publisher.ts'
import { milliseconds, percentile, ratio, type Table, whole } from './table.ts'

const [serverCore] = [0]
const rounds = 3
const secondsPerRound = 5
const visitEvery = 2
const connections = 20
/** What issue and operators were promised: a flood of the API from one address is not felt by visitors. */
const mostTimesIdle = 3

/** How long visitors of a warm site wait while somebody floods the API, beside how long they wait otherwise. */
export async function measureApiFlood(): Promise<Table> {
  await using site = await makeSite()
  await using publisher = await startPublisher({ under: ['taskset', '-c', String(serverCore)] })
  await publisher.createProject('bench')
  await publisher.publishArchive('bench', site.archive)
  const { httpPort: port } = publisher.masthead
  const waits = { idle: [] as number[], flooded: [] as number[] }
  let requests = 0
  for (let round = 0; round < rounds; round++) {
    waits.idle.push(...(await visitFor(port)))
    const flood = await startApiFlood({ port, host: 'localhost', from: '127.0.0.9', connections })
    waits.flooded.push(...(await visitFor(port)))
    requests += Object.values(await flood.stop()).reduce((sum, count) => sum + count, 0)
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
      `The server on one core. ${whole(requests)} requests without a key from one address in ${rounds * secondsPerRound} s, over`,
      `${3 * connections} connections: 8 MiB of JSON, 60 KiB of unknown fields, and answers that are not read.`,
    ],
    broken: times > mostTimesIdle ? [`Visitors wait ${times.toFixed(1)} times as long as idle.`] : [],
  }
}

/** Milliseconds of each visit, one after another. */
async function visitFor(port: number): Promise<number[]> {
  using connection = await OpenConnection.to(port)
  const waits: number[] = []
  const end = performance.now() + secondsPerRound * 1000
  await connection.ask('bench.masthead.localhost')
  while (performance.now() < end) {
    const before = performance.now()
    const { status } = await connection.ask('bench.masthead.localhost')
    if (status !== 200) throw new Error(`A visitor was answered ${status}`)
    waits.push(performance.now() - before)
    await sleep(visitEvery)
  }
  return waits
}
