import assert from 'node:assert/strict'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { Http2Connection } from '@masthead/testing/clients/visit.ts'
import type { MastheadOptions, MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { startKnot } from '@masthead/testing/peers/knot.ts'
import { borrowPebble } from '@masthead/testing/peers/pebble/borrow-pebble.ts'
import type { PebbleSettings, RunningPebble } from '@masthead/testing/peers/pebble/pebble.ts'
import { requiredRecord } from './tenant.ts'

/** What stands around a server on the internet: a certificate authority, and a nameserver for everything below `test`. */
export interface CaAndDns extends AsyncDisposable {
  pebble: RunningPebble
  /** To start a server with. The CA looks at challenges on these ports. */
  masthead: Required<Pick<MastheadOptions, 'env' | 'ports' | 'apiHost'>>
  /** Sets the records that these domains ask for, and no others. */
  point(...domains: Domain[]): Promise<void>
}

const platform = '*.masthead A 127.0.0.1\n*.cname.masthead A 127.0.0.1'

export async function startCaAndDns(settings: PebbleSettings = {}): Promise<CaAndDns> {
  await using started = new AsyncDisposableStack()
  const pebble = started.use(await borrowPebble(settings))
  const ports = { http: pebble.httpPort, https: pebble.tlsPort }
  // One zone for all, so that its server follows a CNAME to the end, as the CA's own resolver would.
  const dns = started.use(await startKnot({ port: pebble.dnsPort, zones: { test: platform } }))
  const dnsServer = `${dns.address}:${dns.port}`
  const all = started.move()
  return {
    pebble,
    masthead: {
      ports,
      // By any other name its API leads to HTTPS.
      apiHost: '127.0.0.1',
      env: {
        MASTHEAD_PLATFORM_DOMAIN: 'masthead.test',
        MASTHEAD_DNS_SERVERS: dnsServer,
        MASTHEAD_DNS_PORT: String(dns.port),
        MASTHEAD_CA: pebble.directoryUrl,
        MASTHEAD_CA_ROOTS: pebble.rootsFile,
      },
    },
    point: (...domains) => {
      const records = domains.map((domain) => `${domain.hostname}. CNAME ${requiredRecord(domain, 'CNAME')}.`)
      return dns.setZone('test', [platform, ...records].join('\n'))
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** Every name shows this page over HTTPS, with a certificate of its own under this root. */
export async function assertServed(
  { httpsPort }: MastheadProcess,
  names: readonly string[],
  { root, page }: { root: string; page: string },
): Promise<void> {
  for (const name of names) {
    using connection = await Http2Connection.to(httpsPort, name, root)
    assert.partialDeepStrictEqual(await connection.ask(name), { status: 200, body: page })
  }
}
