import {
  connections,
  type Load,
  openConnections,
  requestsPerSecond,
  streams,
  streamsPerSecond,
} from '../load-generators.ts'
import { startSecureSite } from '../published-site.ts'
import { ratio, type Table, whole } from '../report.ts'
import { startCaddy, startH2o, startNginx } from '../rival-servers.ts'
import { headersFor, host, siteCases } from '../site.ts'
import { processesOn, processorSeconds } from './processor-time.ts'

const [serverCore, clientCore] = [0, 1]
const rounds = 3
const secondsPerRound = 2
/** Per round, and how many rounds: processor time has a resolution of a hundredth of a second. */
const [newConnections, bursts] = [500, 3]

const protocols = [
  { name: 'HTTP/1.1', rateOf: requestsPerSecond },
  { name: 'HTTP/2', rateOf: streamsPerSecond },
] as const

interface Contender {
  origin: string
  pids: number[]
}

interface Measured {
  /** Null if it does not apply. */
  rate: number | null
  perProcessorSecond: number
}

/** The same files over HTTPS from four servers with the same certificate, each alone on one core, in alternating rounds. */
export async function measureSecureEdge(): Promise<Table[]> {
  await using started = new AsyncDisposableStack()
  const site = started.use(await startSecureSite(serverCore))
  const ports = [site.httpsPort]
  const serving = { folder: site.folder, core: serverCore, secure: { host, ...site.certificate } }
  for (const start of [startCaddy, startNginx, startH2o]) {
    ports.push(started.adopt(await start(serving), (server) => server.stop()).port)
  }
  const contenders = await Promise.all(
    ports.map(async (port) => ({ origin: `https://${host}:${port}`, pids: await processesOn(port) })),
  )

  const measured: { name: string; results: Measured[] }[] = []
  for (const { name, rateOf } of protocols) {
    for (const asked of siteCases) {
      const loads = await Promise.all(
        ports.map(async (port, index) => {
          const trust = { servername: host, ca: site.rootPem }
          const headers = await headersFor(`https://127.0.0.1:${port}`, asked, trust)
          const url = `${contenders[index]?.origin}${asked.path}`
          return { url, headers, core: clientCore, seconds: secondsPerRound }
        }),
      )
      const results = await alternate(contenders, loads, async (load) => {
        const rate = await rateOf(load)
        return { rate, requests: rate * secondsPerRound }
      })
      measured.push({ name: `${name}, ${asked.name}`, results })
    }
  }
  for (const { name } of protocols) {
    const loads = contenders.map(({ origin }) => {
      return { url: `${origin}/small.css`, headers: {}, core: clientCore, seconds: 0 }
    })
    const results = await alternate(contenders, loads, async (load) => {
      for (let burst = 0; burst < bursts; burst++) await openConnections(load, name, newConnections)
      return { rate: null, requests: bursts * newConnections }
    })
    measured.push({ name: `new connections, ${name}`, results })
  }
  return tables(measured)
}

/** The best round, since other load only slows it down. */
async function alternate(
  contenders: readonly Contender[],
  loads: readonly Load[],
  run: (load: Load) => Promise<{ rate: number | null; requests: number }>,
): Promise<Measured[]> {
  const best = loads.map((): Measured => ({ rate: null, perProcessorSecond: 0 }))
  for (let round = 0; round < rounds; round++) {
    for (const [index, load] of loads.entries()) {
      const pids = contenders[index]?.pids ?? []
      const before = await processorSeconds(pids)
      const { rate, requests } = await run(load)
      const used = (await processorSeconds(pids)) - before
      const known = best[index]
      if (known === undefined) continue
      if (rate !== null) known.rate = Math.max(known.rate ?? 0, rate)
      known.perProcessorSecond = Math.max(known.perProcessorSecond, requests / used)
    }
  }
  return best
}

function tables(measured: readonly { name: string; results: readonly Measured[] }[]): Table[] {
  const columns = ['Masthead', 'Caddy', 'nginx', 'h2o', 'to Caddy', 'to nginx', 'to h2o']
  const row = (name: string, [masthead = 0, ...rivals]: number[]) => [
    name,
    ...[masthead, ...rivals].map(whole),
    ...rivals.map((rival) => ratio(masthead, rival)),
  ]
  return [
    {
      title: 'Edge over HTTPS, requests per second',
      columns: ['file', ...columns],
      rows: measured.flatMap(({ name, results }) => {
        const rates = results.flatMap(({ rate }) => rate ?? [])
        return rates.length === 0 ? [] : [row(name, rates)]
      }),
      notes: [
        `Each server pinned to one core, with the same ECDSA P-256 certificate. HTTP/1.1: wrk (1 thread, 64 connections)`,
        `on another core; HTTP/2: h2load (1 thread, ${connections} connections, ${streams} streams each). The best of ${rounds} rounds of ${secondsPerRound} s in turns.`,
        'Above 1.00× Masthead is the faster one. Where a server is faster than the client, it is the client that is measured.',
      ],
    },
    {
      title: 'Edge over HTTPS, requests per second of processor time',
      columns: ['file', ...columns],
      rows: measured.map(({ name, results }) =>
        row(
          name,
          results.map(({ perProcessorSecond }) => perProcessorSecond),
        ),
      ),
      notes: [
        'From the same rounds, by the processor time of the server alone, so that a slow client and what else the machine',
        `does count for little. New connections: ${whole(newConnections)} at once, each with a whole handshake (TLS 1.3, nothing resumed) and one 4 KB file.`,
      ],
    },
  ]
}
