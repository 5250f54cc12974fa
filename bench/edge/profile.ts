import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { type Load, loadOverHttp1, loadOverHttp2, openConnections } from '../load-generators.ts'
import type { Table } from '../report.ts'
import { clientCore, startContest } from './contenders.ts'
import { newConnections } from './new-connections.ts'
import { host, singleFiles } from './prepared-sites.ts'

const seconds = 4
const bursts = 8

const loads = {
  'HTTP/1.1, 4 KB': loadOverHttp1,
  'HTTP/2, 4 KB': loadOverHttp2,
  'new connections': async (load: Load) => {
    for (let burst = 0; burst < bursts; burst++) await openConnections(load, 'HTTP/1.1', newConnections)
  },
} as const

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string } }[]
  samples: number[]
  timeDeltas: number[]
  startTime: number
}

/** The first match counts. OpenSSL and the system show up as native code, or inside TLS callbacks. */
const parts: Record<string, (name: string, url: string) => boolean> = {
  'our code': (_, url) => url.includes('/packages/'),
  'node:http2': (_, url) => url.startsWith('node:internal/http2/'),
  'streams, ticks, timers': (_, url) => url.startsWith('node:') && !url.startsWith('node:internal/tls/'),
  'garbage collection': (name) => name === '(garbage collector)',
  'TLS and system calls': () => true,
}

/** What a busy edge spends its processor time on. */
export async function profileSecureEdge(): Promise<Table> {
  const rows: string[][] = []
  for (const [title, run] of Object.entries(loads)) rows.push([title, ...(await profile(run))])
  return {
    title: 'Edge over HTTPS: where the time goes',
    columns: ['load', ...Object.keys(parts)],
    rows,
    notes: [
      "Of the processor time under node's profiler, idle time left out. TLS and system calls: encryption, handshakes,",
      'reading and writing sockets, and node doing so. Streams, ticks, timers: what node does for sockets in JavaScript.',
    ],
  }
}

async function profile(run: (load: Load) => Promise<unknown>): Promise<string[]> {
  await using folder = await temporaryFolder('masthead-profile')
  let [begin, end] = [0, 0]
  {
    const profiling = `--cpu-prof --cpu-prof-interval=200 --cpu-prof-dir=${folder.path}`
    await using contest = await startContest([], { NODE_OPTIONS: profiling })
    const url = `https://${host}:${contest.contenders[0]?.httpsPort}${singleFiles[0].path}`
    const load = { url, headers: {}, core: clientCore, seconds }
    // Warm-up, so that the compiler is done.
    await run(load)
    begin = microseconds()
    await run(load)
    end = microseconds()
  }
  const [file = ''] = await readdir(folder.path)
  return shares(JSON.parse(await readFile(join(folder.path, file), 'utf8')) as Profile, begin, end)
}

/** The clock of profiles. */
const microseconds = () => Number(process.hrtime.bigint() / 1000n)

function shares({ nodes, samples, timeDeltas, startTime }: Profile, begin: number, end: number): string[] {
  const names = Object.keys(parts)
  const partOf = new Map(
    nodes.map(({ id, callFrame: { functionName, url } }) => [
      id,
      functionName === '(idle)' ? -1 : names.findIndex((name) => parts[name]?.(functionName, url)),
    ]),
  )
  const spent = names.map(() => 0)
  let at = startTime
  for (const [index, id] of samples.entries()) {
    const took = timeDeltas[index] ?? 0
    at += took
    const part = partOf.get(id) ?? -1
    if (part >= 0 && at > begin && at < end) spent[part] = (spent[part] ?? 0) + took
  }
  const all = spent.reduce((sum, time) => sum + time, 0)
  return spent.map((time) => `${((time / all) * 100).toFixed(1)} %`)
}
