import { startCaddyOnDemand } from './caddy-on-demand.ts'
import { firstAnswer } from './first-answer.ts'
import { type Contender, pausePerName, summary } from './issuance-contender.ts'
import type { IssuancePlace } from './issuance-place.ts'
import { countRefused } from './visit-once.ts'

export async function startCaddy(place: IssuancePlace, started: AsyncDisposableStack): Promise<Contender> {
  const authority = await place.startAuthority()
  const root = await authority.pebble.issuerRootPem()
  started.use(await startCaddyOnDemand(authority))
  const { https: port } = authority.ports
  return {
    title: 'Caddy',
    suffix: 'caddy.test',
    orders: authority.pebble.ordersMade,
    async get(names, atOnce) {
      const start = Date.now()
      const timed = await inBatches(names, atOnce, async (name) => {
        const from = Date.now()
        return { from, answer: await firstAnswer({ port, name, root, pause: pausePerName * atOnce }) }
      })
      const all = (Date.now() - start) / 1000
      const refusedAfter = await countRefused(names, { port, root })
      return { ...summary(timed), all, refusedAfter, live: null }
    },
  }
}

async function inBatches<T>(
  names: readonly string[],
  size: number,
  of: (name: string) => Promise<T>,
): Promise<T[]> {
  const all: T[] = []
  for (let at = 0; at < names.length; at += size) {
    all.push(...(await Promise.all(names.slice(at, at + size).map(of))))
  }
  return all
}
