import { dirname, join } from 'node:path'
import { freeDnsPort, freePort } from '../../free-port.ts'
import { startSupervised } from '../../supervised-process.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { requirePeer } from '../peers.ts'

export interface RunningChallengeDns extends AsyncDisposable {
  /** As host:port. */
  server: string
  /** What names without records of their own resolve to. */
  setDefaultAddress(address: string): Promise<void>
  setAddresses(host: string, addresses: string[]): Promise<void>
  setCname(host: string, target: string): Promise<void>
  setCaa(host: string, policies: { tag: string; value: string }[]): Promise<void>
  /** Questions about this host are answered with SERVFAIL. */
  setServfail(host: string): Promise<void>
  clear(host: string): Promise<void>
  stop(): Promise<void>
}

/** Pebble's companion: a nameserver in which every name exists and points here unless told otherwise. */
export async function startChallengeDns({
  address = '127.0.0.1',
  port: givenPort,
}: {
  address?: string
  port?: number
} = {}): Promise<RunningChallengeDns> {
  const program = join(dirname(requirePeer('pebble')), 'pebble-challtestsrv')
  const { path: folder } = await temporaryFolder('masthead-challenge-dns')
  const port = givenPort ?? (await freeDnsPort('127.0.0.1'))
  const managementPort = await freePort()
  const server = `127.0.0.1:${port}`
  const management = `127.0.0.1:${managementPort}`
  const listeners = { dns01: server, management, http01: '', https01: '', tlsalpn01: '' }
  const flags = { ...listeners, defaultIPv4: address, defaultIPv6: '' }
  const { stop } = await startSupervised({
    command: [program, ...Object.entries(flags).flatMap(([name, value]) => [`-${name}`, value])],
    folder,
    ports: [port, managementPort],
  })
  async function tell(path: string, body: unknown): Promise<void> {
    const answer = await fetch(`http://${management}/${path}`, { method: 'POST', body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  }
  return {
    server,
    setDefaultAddress: (ip) => tell('set-default-ipv4', { ip }),
    setAddresses: (host, addresses) => tell('add-a', { host, addresses }),
    setCname: (host, target) => tell('set-cname', { host, target }),
    setCaa: (host, policies) => tell('add-caa', { host, policies }),
    setServfail: (host) => tell('set-servfail', { host }),
    async clear(host) {
      for (const kind of ['a', 'cname', 'caa', 'servfail']) await tell(`clear-${kind}`, { host })
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
