import { getServers } from 'node:dns'
import { Counter, type Registry } from 'prom-client'
import { startChallengeDns } from '../certificates/challenge-dns/challenge-dns.ts'
import type { Config } from '../config/config.ts'
import type { Context } from '../database/database.ts'
import { createDns, type Dns, type DnsServer } from '../dns/dns.ts'
import type { RunningDnsServer } from '../dns/server/dns-server.ts'
import { isIP } from '../kernel/ip-address.ts'
import { OperatorError } from '../kernel/program/process-lifetime.ts'
import { type Lab, type LabOptions, openLab } from '../lab/lab.ts'

type DnsConfig = Pick<Config, 'dnsServers' | 'dnsPort' | 'lab' | 'roles' | 'platformDomain' | 'edgeAddresses'>

const defaultPort = 53

/** The DNS that domains are checked with: the configured servers, else the lab's, else the system's. */
export async function openDns(
  { database, now }: Context,
  config: DnsConfig,
  { replaces, log }: { replaces: boolean; log: LabOptions['log'] },
): Promise<{ dns: Dns; lab: Lab | null }> {
  const lab = config.roles.has('api') ? await openOwnLab() : null
  return { dns: configuredDns(config, lab?.address ?? null), lab }

  async function openOwnLab(): Promise<Lab | null> {
    if (config.lab === null) return null
    const { port, chosen } = config.lab
    // The process that is replaced still has the port.
    return openLab({ database, now, naming: config, port, portChosen: chosen && !replaces, log })
  }
}

/** `ownLab` is the address of the lab in this process; with the lab elsewhere, its usual one is used. */
export function configuredDns(
  config: Pick<Config, 'dnsServers' | 'dnsPort' | 'lab'>,
  ownLab: DnsServer | null = null,
): Dns {
  const labAddress = ownLab ?? (config.lab && { address: '127.0.0.1', port: config.lab.port })
  const configured = config.dnsServers ?? (labAddress && [labAddress])
  return createDns({
    servers: configured ?? systemServers(),
    authoritativePort:
      config.dnsPort ?? (config.dnsServers === null ? labAddress?.port : null) ?? defaultPort,
    // With resolvers on this machine, as on a laptop or in a test, the zones are here too.
    allowPrivate: configured?.every(isLoopback) ?? false,
  })
}

/** For names anywhere: the lab only knows its own. */
export function publicDns({ dnsServers }: Pick<Config, 'dnsServers'>): Dns {
  const servers = dnsServers ?? systemServers()
  return createDns({ servers, authoritativePort: defaultPort, allowPrivate: false })
}

function isLoopback({ address }: DnsServer): boolean {
  return address === '::1' || address.startsWith('127.')
}

function systemServers(): DnsServer[] {
  return getServers().map((server) => {
    if (isIP(server) !== 0) return { address: server, port: defaultPort }
    const separator = server.lastIndexOf(':')
    const address = server.slice(0, separator).replace(/^\[|\]$/g, '')
    return { address, port: Number(server.slice(separator + 1)) }
  })
}

/** Our own nameserver for challenges; null unless MASTHEAD_DNS_LISTEN is set. */
export async function openChallengeDns(
  { database, now }: Context,
  {
    dnsListen,
    platformDomain,
    edgeAddresses,
  }: Pick<Config, 'dnsListen' | 'platformDomain' | 'edgeAddresses'>,
  metrics: Registry,
  log: LabOptions['log'],
): Promise<RunningDnsServer | null> {
  if (dnsListen === null) return null
  const replies = new Counter({
    name: 'masthead_dns_replies_total',
    help: 'Replies of our nameserver. Limited ones sent their client to TCP',
    labelNames: ['transport', 'rcode', 'limited'],
    registers: [metrics],
  })
  const naming = { platformDomain, edgeAddresses }
  try {
    return await startChallengeDns({
      database,
      now,
      listen: dnsListen,
      naming,
      onReply: ({ transport, rcode, isLimited }) =>
        replies.inc({ transport, rcode, limited: `${isLimited}` }),
      log,
    })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === undefined || !(code in listenFixes)) throw error
    throw new OperatorError(`MASTHEAD_DNS_LISTEN: ${message}. ${listenFixes[code]}`)
  }
}

const listenFixes: Readonly<Record<string, string>> = {
  EADDRINUSE: 'Stop the program that uses the port, such as systemd-resolved, or use another address.',
  EACCES: 'Ports below 1024 need the capability CAP_NET_BIND_SERVICE.',
  EADDRNOTAVAIL: 'Use an address of this machine.',
}
