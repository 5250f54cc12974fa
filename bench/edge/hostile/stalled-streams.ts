import { setTimeout as sleep } from 'node:timers/promises'
import { ratio, type Table, whole } from '../../report.ts'
import { startContest } from '../contenders.ts'
import { host, singleFiles } from '../prepared-sites.ts'
import { holdConnections } from './held-connections.ts'
import { descriptors, residentBytes } from './process-memory.ts'

const [connections, streams] = [100, 10]
const streamWindow = 65_535
const maxToNginx = 1

/** What an answer costs whose reader has stopped reading. */
export async function measureStalledStreams(): Promise<Table> {
  await using contest = await startContest(['nginx'])
  const [, , large] = singleFiles
  const measured: { bytes: number; files: number }[] = []
  for (const { httpsPort: port, pids } of contest.contenders) {
    const asked = { port, host, rootPem: contest.rootPem, path: large.path, streamWindow }
    // What the first connections need stays in use.
    for (let round = 0; round < 2; round++)
      (await holdConnections({ ...asked, connections, streams: 1 }))[Symbol.dispose]()
    await sleep(1000)
    const before = { bytes: await residentBytes(pids), files: await descriptors(pids) }
    using _stalled = await holdConnections({ ...asked, connections, streams })
    await sleep(1000)
    const count = connections * streams
    measured.push({
      bytes: ((await residentBytes(pids)) - before.bytes) / count,
      files: ((await descriptors(pids)) - before.files - connections) / count,
    })
  }
  const [masthead = { bytes: 0, files: 0 }, nginx = { bytes: 0, files: 0 }] = measured
  const holds = masthead.bytes <= nginx.bytes * maxToNginx && masthead.files <= nginx.files * maxToNginx
  return {
    title: 'A stalled HTTP/2 stream',
    columns: ['', 'Masthead', 'nginx', 'to nginx', 'target', 'holds'],
    rows: [
      [
        'bytes of memory',
        ...[masthead, nginx].map(({ bytes }) => whole(bytes)),
        ratio(masthead.bytes, nginx.bytes),
        `${maxToNginx.toFixed(2)}×`,
        masthead.bytes <= nginx.bytes * maxToNginx ? 'yes' : 'no',
      ],
      [
        'descriptors',
        ...[masthead, nginx].map(({ files }) => files.toFixed(2)),
        '',
        'as few',
        masthead.files <= nginx.files * maxToNginx ? 'yes' : 'no',
      ],
    ],
    notes: [
      `${whole(connections * streams)} streams on ${connections} connections from as many addresses, each for a file of 10 MB of which 64 KB are read. The`,
      "connections' own cost is shared among them. nginx opens the file once for all.",
    ],
    broken: holds ? [] : ['A stalled stream costs more than in nginx.'],
  }
}
