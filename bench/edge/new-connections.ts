import { openConnections } from '../load-generators.ts'
import type { ComparedRow } from './comparison.ts'
import { type Contender, type Contest, clientCore } from './contenders.ts'
import { host, singleFiles } from './prepared-sites.ts'
import { processorSeconds } from './processor-time.ts'
import { bestOfRounds, type Round } from './rounds.ts'

/** At once, and how often: processor time has a resolution of a hundredth of a second. */
export const [newConnections, bursts] = [250, 6]
const protocols = ['HTTP/1.1', 'HTTP/2'] as const

/**
 * New connections per second of processor time, each with a whole handshake and one small file. The protocols take turns
 * too, since they are compared with each other.
 */
export async function measureNewConnections(contest: Contest, rounds: number): Promise<ComparedRow[]> {
  const rows = protocols.map((protocol) => ({
    protocol,
    name: `new connections, ${protocol}`,
    figures: contest.contenders.map(() => 0),
  }))
  for (let round = 0; round < rounds; round++) {
    for (const row of rows) {
      const figures = await bestOfRounds(contest.contenders, 1, (contender) => open(contender, row.protocol))
      row.figures = figures.map((figure, index) => Math.max(figure, row.figures[index] ?? 0))
    }
  }
  return rows
}

async function open({ httpsPort, pids }: Contender, protocol: (typeof protocols)[number]): Promise<Round> {
  const load = {
    url: `https://${host}:${httpsPort}${singleFiles[0].path}`,
    headers: {},
    core: clientCore,
    seconds: 0,
  }
  const before = await processorSeconds(pids)
  for (let burst = 0; burst < bursts; burst++) await openConnections(load, protocol, newConnections)
  return { requests: bursts * newConnections, processorSeconds: (await processorSeconds(pids)) - before }
}
