import { freePort } from '@masthead/testing/free-port.ts'
import { startKnot } from '@masthead/testing/knot.ts'
import type { RunningNameServer } from '@masthead/testing/name-server.ts'
import { type RunningPebble, startPebble } from '@masthead/testing/pebble.ts'

/** One nameserver for everything below `test`, and as many certificate authorities of the same kind as are asked for. */
export interface IssuancePlace extends AsyncDisposable {
  dns: RunningNameServer
  dnsServer: string
  /** The records beside those that were always there. */
  setRecords(records: readonly string[]): Promise<void>
  startAuthority(): Promise<{ pebble: RunningPebble; ports: { http: number; https: number } }>
}

const always = ['*.cname.masthead A 127.0.0.1', '*.caddy A 127.0.0.1']

export async function startIssuancePlace(): Promise<IssuancePlace> {
  await using started = new AsyncDisposableStack()
  const dns = started.use(await startKnot({ zones: { test: always.join('\n') } }))
  const dnsServer = `${dns.address}:${dns.port}`
  const all = started.move()
  return {
    dns,
    dnsServer,
    setRecords: (records) => dns.setZone('test', [...always, ...records].join('\n')),
    async startAuthority() {
      const ports = { http: await freePort(), https: await freePort() }
      const looksAt = { httpPort: ports.http, tlsPort: ports.https }
      return { ports, pebble: all.use(await startPebble({ ...looksAt, dnsServer })) }
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
