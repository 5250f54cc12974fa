import { accessSync, constants, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A program that tests or benchmarks run for real instead of imitating it. */
export interface Peer {
  /** Debian's package, which is also the name people know. */
  package: string
  binary: string
  /** Folders looked in besides the PATH, as globs; where several match, the last by name wins. */
  folders: readonly string[]
  neededBy: 'tests' | 'bench'
}

const administration = ['/usr/local/sbin', '/usr/sbin', '/sbin']

export const peers = {
  postgresql: {
    package: 'postgresql',
    binary: 'initdb',
    folders: ['/usr/lib/postgresql/*/bin', '/opt/homebrew/opt/postgresql@*/bin'],
    neededBy: 'tests',
  },
  redis: { package: 'redis-server', binary: 'redis-server', folders: [], neededBy: 'tests' },
  chromium: { package: 'chromium', binary: 'chromium', folders: [], neededBy: 'tests' },
  zip: { package: 'zip', binary: 'zip', folders: [], neededBy: 'tests' },
  bsdtar: { package: 'libarchive-tools', binary: 'bsdtar', folders: [], neededBy: 'tests' },
  curl: { package: 'curl', binary: 'curl', folders: [], neededBy: 'tests' },
  knot: { package: 'knot', binary: 'knotd', folders: administration, neededBy: 'tests' },
  // The backend brings the server; by itself the server can hold no zone.
  powerdns: {
    package: 'pdns-backend-bind',
    binary: 'pdns_server',
    folders: administration,
    neededBy: 'tests',
  },
  openssl: { package: 'openssl', binary: 'openssl', folders: [], neededBy: 'tests' },
  // Puts roots into the store that Chromium trusts.
  nss: { package: 'libnss3-tools', binary: 'certutil', folders: [], neededBy: 'tests' },
  pebble: { package: 'pebble', binary: 'pebble', folders: [], neededBy: 'tests' },
  nginx: { package: 'nginx', binary: 'nginx', folders: administration, neededBy: 'bench' },
  caddy: { package: 'caddy', binary: 'caddy', folders: [], neededBy: 'bench' },
  h2o: { package: 'h2o', binary: 'h2o', folders: [], neededBy: 'bench' },
  h2load: { package: 'nghttp2-client', binary: 'h2load', folders: [], neededBy: 'bench' },
  wrk: { package: 'wrk', binary: 'wrk', folders: [], neededBy: 'bench' },
} as const satisfies Record<string, Peer>

export type PeerName = keyof typeof peers

export const peerNames = Object.keys(peers) as PeerName[]

/** The path of the peer's program, or null where it is not installed. */
export function findPeer(name: PeerName): string | null {
  const peer: Peer = peers[name]
  const named = peer.folders.flatMap((folder) =>
    globSync(folder).sort((a, b) => b.localeCompare(a, 'en', { numeric: true })),
  )
  const onPath = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  return [...named, ...onPath].map((folder) => join(folder, peer.binary)).find(isExecutable) ?? null
}

export function requirePeer(name: PeerName): string {
  const path = findPeer(name)
  if (path === null) throw new Error(`${peers[name].package} is needed here and is not installed`)
  return path
}

/**
 * For a test's `skip` option: the reason where a peer is missing, else false. In CI nothing is skipped, so that
 * the test runs into `requirePeer` and fails.
 */
export function skipWithout(...names: PeerName[]): string | false {
  if (process.env.CI === 'true') return false
  const missing = names.filter((name) => findPeer(name) === null)
  return missing.length > 0 && `not installed: ${missing.join(', ')}`
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
