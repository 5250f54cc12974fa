import { openConnections } from '../load-generators.ts'
import type { ComparedRow } from './comparison.ts'
import { type Contest, clientCore } from './contenders.ts'
import { host, singleFiles } from './prepared-sites.ts'
import { processorSeconds } from './processor-time.ts'
import { bestOfRounds } from './rounds.ts'

/** At once, and how often: processor time has a resolution of a hundredth of a second. */
export const [newConnections, bursts] = [250, 6]
const protocols = ['HTTP/1.1', 'HTTP/2'] as const

/** New connections per second of processor time, each with a whole handshake and one small file. */
export async function measureNewConnections(contest: Contest, rounds: number): Promise<ComparedRow[]> {
  const rows: ComparedRow[] = []
  for (const protocol of protocols) {
    const figures = await bestOfRounds(contest.contenders, rounds, async ({ httpsPort, pids }) => {
      const url = `https://${host}:${httpsPort}${singleFiles[0].path}`
      const before = await processorSeconds(pids)
      for (let burst = 0; burst < bursts; burst++)
        await openConnections({ url, headers: {}, core: clientCore, seconds: 0 }, protocol, newConnections)
      return {
        requests: bursts * newConnections,
        processorSeconds: (await processorSeconds(pids)) - before,
      }
    })
    rows.push({ name: `new connections, ${protocol}`, figures })
  }
  return rows
}
