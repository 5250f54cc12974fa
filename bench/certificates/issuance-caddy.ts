import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { RunningPebble } from '@masthead/testing/peers/pebble/pebble.ts'
import { requirePeer } from '@masthead/testing/peers/peers.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { countRefused, waitForFirstAnswer } from '../https-visits.ts'
import { startServer } from '../rival-servers.ts'
import { type Contender, type IssuanceSetup, pausePerName, summary } from './issuance-setup.ts'

export interface OnDemand {
  pebble: RunningPebble
  ports: { http: number; https: number }
}

/** Caddy gets a certificate for every name at its first handshake. The endpoint it has to ask allows all. */
async function startCaddyOnDemand({ pebble, ports }: OnDemand): Promise<AsyncDisposable> {
  await using started = new AsyncDisposableStack()
  const yes = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
  await once(yes, 'listening')
  started.defer(async () => {
    yes.closeAllConnections()
    await new Promise<unknown>((closed) => yes.close(closed))
  })
  const work = await temporaryFolder('masthead-caddy')
  const file = join(work.path, 'Caddyfile')
  await writeFile(join(work.path, 'index.html'), 'Caddy')
  await writeFile(
    file,
    `{
  admin off
  default_bind 127.0.0.1
  http_port ${ports.http}
  https_port ${ports.https}
  acme_ca ${pebble.directoryUrl}
  acme_ca_root ${pebble.rootsFile}
  on_demand_tls {
    ask http://127.0.0.1:${(yes.address() as AddressInfo).port}/
  }
  servers {
    protocols h1 h2
  }
}
https:// {
  tls {
    on_demand
  }
  root * ${work.path}
  file_server
}
`,
  )
  const env = { HOME: work.path, XDG_DATA_HOME: work.path, XDG_CONFIG_HOME: work.path }
  const command = [requirePeer('caddy'), 'run', '--config', file, '--adapter', 'caddyfile']
  const caddy = await startServer({ command, env, core: null, port: ports.https, work })
  started.defer(() => caddy.stop())
  const all = started.move()
  return { [Symbol.asyncDispose]: () => all.disposeAsync() }
}

export async function startCaddy(place: IssuanceSetup, started: AsyncDisposableStack): Promise<Contender> {
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
        return { from, answer: await waitForFirstAnswer({ port, name, root, pause: pausePerName * atOnce }) }
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
