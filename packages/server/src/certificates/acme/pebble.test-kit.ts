import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createSecureContext, createServer as createTlsServer, type Server as TlsServer } from 'node:tls'
import { borrowPebble } from '@masthead/testing/peers/pebble/borrow-pebble.ts'
import { type RunningChallengeDns, startChallengeDns } from '@masthead/testing/peers/pebble/challenge-dns.ts'
import type { PebbleSettings, RunningPebble } from '@masthead/testing/peers/pebble/pebble.ts'
import type { PebblePorts } from '@masthead/testing/peers/pebble/pebble-pool.ts'
import { validationProtocol } from '../../edge/tls/settings.ts'
import { challengePath } from '../../kernel/challenge-path.ts'
import type { AcmeAccount } from './account.ts'
import { type AcmeClient, createAcmeClient } from './acme-client.ts'
import { type Challenge, keyAuthorization } from './authorization.ts'
import { fetchWithRoots } from './fetch-with-roots.ts'
import { validationCertificate } from './tls-alpn-01.ts'

/** Pebble, its nameserver, and servers that respond to its challenges after `solve`. */
export class TestPebble implements AsyncDisposable {
  readonly ca: RunningPebble
  readonly dns: RunningChallengeDns
  readonly #servers: ChallengeServers

  private constructor(ca: RunningPebble, dns: RunningChallengeDns, servers: ChallengeServers) {
    this.ca = ca
    this.dns = dns
    this.#servers = servers
  }

  static async open(settings: PebbleSettings = {}): Promise<TestPebble> {
    const ca = await borrowPebble(settings)
    const servers = await startChallengeServers(ca)
    const dns = await startChallengeDns({ port: ca.dnsPort })
    return new TestPebble(ca, dns, servers)
  }

  client(timeoutMs = 10_000): AcmeClient {
    const fetch = fetchWithRoots(this.ca.rootsPem)
    return createAcmeClient({ directoryUrl: this.ca.directoryUrl, fetch, now: Date.now, timeoutMs })
  }

  async solve(account: AcmeAccount, name: string, { type, token }: Challenge): Promise<void> {
    const authorization = await keyAuthorization(token, account.key)
    if (type === 'http-01') this.#servers.byToken.set(token, authorization)
    else {
      const { certificatePem, privateKeyPem } = await validationCertificate({
        name,
        keyAuthorization: authorization,
        now: Date.now(),
      })
      this.#servers.byName.set(name, createSecureContext({ cert: certificatePem, key: privateKeyPem }))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dns.stop()
    this.#servers.http.closeAllConnections()
    this.#servers.http.close()
    this.#servers.tls.close()
    await this.ca[Symbol.asyncDispose]()
  }
}

interface ChallengeServers {
  http: Server
  tls: TlsServer
  byToken: Map<string, string>
  byName: Map<string, ReturnType<typeof createSecureContext>>
}

async function startChallengeServers({ httpPort, tlsPort }: PebblePorts): Promise<ChallengeServers> {
  const byToken: ChallengeServers['byToken'] = new Map()
  const byName: ChallengeServers['byName'] = new Map()
  const http = createServer((request, response) => {
    const authorization = byToken.get(request.url?.replace(challengePath, '') ?? '')
    response.writeHead(authorization === undefined ? 404 : 200).end(authorization)
  }).listen(httpPort, '127.0.0.1')
  const tls = createTlsServer({
    ALPNProtocols: [validationProtocol],
    SNICallback: (name, done) => done(null, byName.get(name)),
  })
  tls.on('secureConnection', (socket) => socket.end())
  tls.on('tlsClientError', () => {})
  tls.listen(tlsPort, '127.0.0.1')
  await Promise.all([once(http, 'listening'), once(tls, 'listening')])
  http.unref()
  tls.unref()
  return { http, tls, byToken, byName }
}
