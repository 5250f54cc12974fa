import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type NameServerOptions, type RunningNameServer, startNameServer } from './name-server.ts'
import { requirePeer } from './peers.ts'

export interface PowerDnsOptions extends NameServerOptions {
  /** Where the targets of ALIAS records are looked up. */
  resolver: { address: string; port: number }
}

/** PowerDNS with the given zones. Unlike Knot it knows ALIAS, and answers with the target's addresses. */
export async function startPowerDns({ resolver, ...options }: PowerDnsOptions): Promise<RunningNameServer> {
  const program = requirePeer('powerdns')
  const control = (folder: string, ...command: string[]) =>
    promisify(execFile)('pdns_control', [`--config-dir=${folder}`, ...command])
  return startNameServer(
    {
      name: 'PowerDNS',
      command: (folder) => [program, `--config-dir=${folder}`],
      settings: ({ folder, address, port, zones }) => ({
        'pdns.conf': powerDnsSettings(folder, address, port, `${resolver.address}:${resolver.port}`),
        'named.conf': zones.map((zone) => bindZone(folder, zone)).join('\n'),
      }),
      reloadSettings: async (folder) => void (await control(folder, 'rediscover')),
      reloadZone: async (folder, zone) => void (await control(folder, 'bind-reload-now', zone)),
    },
    options,
  )
}

function bindZone(folder: string, zone: string): string {
  return `zone "${zone}" { type master; file "${join(folder, `${zone}.zone`)}"; };`
}

function powerDnsSettings(folder: string, address: string, port: number, resolver: string): string {
  return `
launch=bind
bind-config=${join(folder, 'named.conf')}
local-address=${address}
local-port=${port}
socket-dir=${folder}
daemon=no
guardian=no
expand-alias=yes
resolver=${resolver}
cache-ttl=0
query-cache-ttl=0
negquery-cache-ttl=0
zone-cache-refresh-interval=0
security-poll-suffix=
loglevel=3
`
}
