import { requestsPerSecond } from '../load-generators.ts'
import { startPublisher } from '../published-site.ts'
import { ratio, type Table, whole } from '../report.ts'
import { startCaddy, startNginx } from '../rival-servers.ts'
import { headersFor, makeSite, siteCases } from '../site.ts'

const [serverCore, clientCore] = [0, 1]
const rounds = 5
const secondsPerRound = 3

/** The same files from three servers, each alone on one core, in alternating rounds so that noise hits them all. */
export async function measureEdge(): Promise<Table> {
  await using site = await makeSite()
  await using servers = new AsyncDisposableStack()
  const publisher = servers.use(await startPublisher({ under: ['taskset', '-c', String(serverCore)] }))
  await publisher.createProject('bench')
  await publisher.publishArchive('bench', site.archive)
  const caddy = servers.adopt(await startCaddy({ folder: site.folder, core: serverCore }), (server) =>
    server.stop(),
  )
  const nginx = servers.adopt(await startNginx({ folder: site.folder, core: serverCore }), (server) =>
    server.stop(),
  )
  const ports = [publisher.masthead.httpPort, caddy.port, nginx.port]

  const rows: string[][] = []
  for (const asked of siteCases) {
    const loads = await Promise.all(
      ports.map(async (port) => {
        const origin = `http://127.0.0.1:${port}`
        const headers = await headersFor(origin, asked)
        return { url: `${origin}${asked.path}`, headers, core: clientCore, seconds: secondsPerRound }
      }),
    )
    const rates = loads.map((): number[] => [])
    for (let round = 0; round < rounds; round++) {
      for (const [index, load] of loads.entries()) rates[index]?.push(await requestsPerSecond(load))
    }
    const [masthead = 0, ...rivals] = rates.map((each) => Math.max(...each))
    rows.push([
      asked.name,
      ...[masthead, ...rivals].map(whole),
      ...rivals.map((rival) => ratio(masthead, rival)),
    ])
  }
  return {
    title: 'Edge over HTTP, requests per second',
    columns: ['file', 'Masthead', 'Caddy', 'nginx', 'to Caddy', 'to nginx'],
    rows,
    notes: [
      `Each server pinned to one core, wrk (1 thread, 64 connections) to another; the best of ${rounds} rounds of`,
      `${secondsPerRound} s in turns, since what else runs on a machine only slows. Above 1.00× Masthead is the faster one.`,
    ],
  }
}
