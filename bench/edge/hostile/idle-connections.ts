import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '@masthead/testing/free-port.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { ratio, type Table, whole } from '../../report.ts'
import { startServer } from '../../rival-servers.ts'
import { serverCore, startContest } from '../contenders.ts'
import { host, singleFiles } from '../prepared-sites.ts'
import { processesOn } from '../processor-time.ts'
import { holdConnections } from './held-connections.ts'
import { residentBytes } from './process-memory.ts'

/** As many as a port accepts where a process may have 20,000 files open. What each takes does not depend on it. */
const connections = 7_500
const program = fileURLToPath(new URL('node-http2-server.ts', import.meta.url))
const maxToNode = 1

/** What connections cost on which nothing happens: each has had one answer. */
export async function measureIdleConnections(): Promise<Table> {
  await using contest = await startContest(['nginx'])
  await using started = new AsyncDisposableStack()
  const { certificateFile, keyFile } = contest.certificate
  const port = await freePort()
  const command = [process.execPath, program, String(port), certificateFile, keyFile]
  const work = await temporaryFolder('masthead-node')
  const server = await startServer({ command, core: serverCore, port, work })
  started.defer(server.stop)
  const node = { name: "Node's own server", httpsPort: port, pids: await processesOn(port) }

  const perConnection: number[] = []
  const [small] = singleFiles
  for (const { httpsPort, pids } of [...contest.contenders, node]) {
    const asked = {
      port: httpsPort,
      host,
      rootPem: contest.rootPem,
      path: small.path,
      streamWindow: small.bytes,
    }
    // What the first connections need stays in use.
    for (let round = 0; round < 3; round++)
      (await holdConnections({ ...asked, connections: 100, streams: 1 }))[Symbol.dispose]()
    await sleep(1000)
    const before = await residentBytes(pids)
    using _held = await holdConnections({ ...asked, connections, streams: 1 })
    await sleep(1000)
    perConnection.push(((await residentBytes(pids)) - before) / connections)
  }
  const [masthead = 0, nginx = 0, own = 0] = perConnection
  const holds = masthead <= own * maxToNode
  return {
    title: 'Memory of an idle HTTP/2 connection',
    columns: ['', 'Masthead', 'nginx', "Node's own server", 'to nginx', 'to Node', 'target', 'holds'],
    rows: [
      [
        'bytes',
        ...[masthead, nginx, own].map(whole),
        ratio(masthead, nginx),
        ratio(masthead, own),
        `${maxToNode.toFixed(2)}× Node`,
        holds ? 'yes' : 'no',
      ],
    ],
    notes: [
      `Growth of the resident set by ${whole(connections)} connections with TLS, each of which has had one 4 KB answer. Below 1.00× is less.`,
    ],
    broken: holds
      ? []
      : [`An idle connection takes ${ratio(masthead, own)} the memory of one in Node's own server.`],
  }
}
