import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { RunningPebble } from '@masthead/testing/pebble.ts'
import { requirePeer } from '@masthead/testing/peers.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { startServer } from './pinned-server.ts'

export interface OnDemand {
  pebble: RunningPebble
  ports: { http: number; https: number }
}

/** Caddy getting a certificate for every name at its first handshake. The endpoint that it must ask says yes to all. */
export async function startCaddyOnDemand({ pebble, ports }: OnDemand): Promise<AsyncDisposable> {
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
