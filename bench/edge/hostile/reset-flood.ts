import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { killOnExit } from '@masthead/testing/supervised-process.ts'
import { milliseconds, percentile, ratio, type Table } from '../../report.ts'
import { clientCore, startContest } from '../contenders.ts'
import { host, singleFiles } from '../prepared-sites.ts'
import { startVisitor } from './start-visitor.ts'

const program = fileURLToPath(new URL('reset-client.ts', import.meta.url))
const [rounds, secondsPerRound, visitEvery] = [2, 5, 40]
const maxToNginx = 1

/** How long new visitors wait for their first page over HTTPS while one client resets streams as fast as it can. */
export async function measureResetFlood(): Promise<Table> {
  await using contest = await startContest(['nginx'])
  const waits = contest.contenders.map(({ name }) => ({
    name,
    calm: [] as number[],
    flooded: [] as number[],
  }))
  for (let round = 0; round < rounds; round++) {
    for (const [index, { httpsPort: port }] of contest.contenders.entries()) {
      await using visitor = startVisitor({ how: 'new', port, host, everyMs: visitEvery })
      waits[index]?.calm.push(...(await visitor.visitFor(secondsPerRound)))
      await using _flood = startFlood(port)
      waits[index]?.flooded.push(...(await visitor.visitFor(secondsPerRound)))
    }
  }
  const [ours, nginx] = waits.map(({ flooded }) => percentile(flooded, 99))
  const times = (ours ?? 0) / (nginx ?? 0)
  return {
    title: 'New visitors during a flood of resets',
    columns: ['', 'calm, median', 'p99', 'flooded, median', 'p99', 'p99 to nginx', 'target', 'holds'],
    rows: waits.map(({ name, calm, flooded }, index) => [
      name,
      ...[calm, flooded].flatMap((each) =>
        [50, 99].map((percent) => milliseconds(percentile(each, percent))),
      ),
      ...(index > 0
        ? ['', '', '']
        : [ratio(times, 1), `${maxToNginx.toFixed(2)}×`, times <= maxToNginx ? 'yes' : 'no']),
    ]),
    notes: [
      'From the connection to the whole page, over HTTPS with a full handshake. The flood: 10 connections from one other',
      'address, each with requests that are reset at once, and opened again when the server ends it. The server has one core,',
      'flood and visitor share the other, the visitor first.',
    ],
    broken: times <= maxToNginx ? [] : [`Visitors wait ${times.toFixed(1)} times as long as with nginx.`],
  }
}

function startFlood(port: number): AsyncDisposable {
  const words = ['-c', String(clientCore), process.execPath, program, String(port), host, singleFiles[0].path]
  const child = spawn('taskset', words, { stdio: 'inherit' })
  killOnExit(child)
  return {
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
