import { spawn, spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'

/** A program that tests or benchmarks run for real instead of imitating it. */
export interface Peer {
  /** Debian's package, which is also the name people know. */
  package: string
  binary: string
  /** A program that does the same where there is no such package. */
  elsewhere?: string
  /** Folders looked in besides the PATH, as globs; where several match, the last by name wins. */
  folders: readonly string[]
  neededBy: 'tests' | 'bench'
}

const administration = ['/usr/local/sbin', '/usr/sbin', '/sbin']

const peers = {
  postgresql: {
    package: 'postgresql',
    binary: 'initdb',
    folders: ['/usr/lib/postgresql/*/bin', '/opt/homebrew/opt/postgresql@*/bin'],
    neededBy: 'tests',
  },
  pgbouncer: { package: 'pgbouncer', binary: 'pgbouncer', folders: administration, neededBy: 'tests' },
  redis: { package: 'redis-server', binary: 'redis-server', folders: [], neededBy: 'tests' },
  // Chromium without windows and menus, which nobody would see: it takes a third of the time.
  chromium: {
    package: 'chromium-headless-shell',
    binary: 'chromium-headless-shell',
    elsewhere: 'chromium',
    folders: [],
    neededBy: 'tests',
  },
  // An S3 server. This package brings the code of Swift's other servers too.
  swift: { package: 'swift-proxy', binary: 'swift-proxy-server', folders: [], neededBy: 'tests' },
  // Shells that the command line completes words in.
  bash: { package: 'bash', binary: 'bash', folders: [], neededBy: 'tests' },
  zsh: { package: 'zsh', binary: 'zsh', folders: [], neededBy: 'tests' },
  fish: { package: 'fish', binary: 'fish', folders: [], neededBy: 'tests' },
  zip: { package: 'zip', binary: 'zip', folders: [], neededBy: 'tests' },
  bsdtar: { package: 'libarchive-tools', binary: 'bsdtar', folders: [], neededBy: 'tests' },
  curl: { package: 'curl', binary: 'curl', folders: [], neededBy: 'tests' },
  knot: { package: 'knot', binary: 'knotd', folders: administration, neededBy: 'tests' },
  kdig: { package: 'knot-dnsutils', binary: 'kdig', folders: [], neededBy: 'tests' },
  delv: { package: 'bind9-dnsutils', binary: 'delv', folders: [], neededBy: 'tests' },
  unbound: { package: 'unbound', binary: 'unbound', folders: administration, neededBy: 'tests' },
  // The backend brings the server; without it the server can hold no zone.
  powerdns: {
    package: 'pdns-backend-bind',
    binary: 'pdns_server',
    folders: administration,
    neededBy: 'tests',
  },
  // Checks the unit that we offer; it need not run.
  systemd: { package: 'systemd', binary: 'systemd-analyze', folders: [], neededBy: 'tests' },
  openssl: { package: 'openssl', binary: 'openssl', folders: [], neededBy: 'tests' },
  // Puts roots into the store that Chromium trusts.
  nss: { package: 'libnss3-tools', binary: 'certutil', folders: [], neededBy: 'tests' },
  pebble: { package: 'pebble', binary: 'pebble', folders: [], neededBy: 'tests' },
  // Runs a program as if its machine's clock were wrong.
  faketime: {
    package: 'libfaketime',
    binary: 'libfaketimeMT.so.1',
    folders: ['/usr/lib/*/faketime'],
    neededBy: 'tests',
  },
  // A load balancer.
  haproxy: { package: 'haproxy', binary: 'haproxy', folders: administration, neededBy: 'tests' },
  // Plays a CDN.
  nginx: { package: 'nginx', binary: 'nginx', folders: administration, neededBy: 'tests' },
  // Lets nginx send files that are already compressed, as the others can.
  nginxBrotli: {
    package: 'libnginx-mod-http-brotli-static',
    binary: 'ngx_http_brotli_static_module.so',
    folders: ['/usr/lib/nginx/modules'],
    neededBy: 'bench',
  },
  caddy: { package: 'caddy', binary: 'caddy', folders: [], neededBy: 'bench' },
  h2o: { package: 'h2o', binary: 'h2o', folders: [], neededBy: 'bench' },
  h2load: { package: 'nghttp2-client', binary: 'h2load', folders: [], neededBy: 'bench' },
  wrk: { package: 'wrk', binary: 'wrk', folders: [], neededBy: 'bench' },
} as const satisfies Record<string, Peer>

export type PeerName = keyof typeof peers

const peerNames = Object.keys(peers) as PeerName[]

/** The path of the peer's program, or null where it is not installed. */
export function findPeer(name: PeerName): string | null {
  const peer: Peer = peers[name]
  return findProgram(peer, peer.binary) ?? (peer.elsewhere ? findProgram(peer, peer.elsewhere) : null)
}

function findProgram(peer: Peer, binary: string): string | null {
  const named = peer.folders.flatMap((folder) =>
    globSync(folder).sort((a, b) => b.localeCompare(a, 'en', { numeric: true })),
  )
  const onPath = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  return [...named, ...onPath].map((folder) => join(folder, binary)).find(isUsable) ?? null
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

/** A module is loaded; everything else is run. */
function isUsable(path: string): boolean {
  try {
    accessSync(path, /\.so(\.\d+)?$/.test(path) ? constants.R_OK : constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Debian starts a service as soon as it is installed. While this runs, a policy forbids that, unless the
 * machine has a policy of its own.
 */
const install = `
set -eu
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
  trap 'rm -f $policy' EXIT
  printf '#!/bin/sh\\nexit 101\\n' > $policy
  chmod 755 $policy
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "$@"
`

/** Installs what is missing where the machine is Debian; elsewhere names it and goes on. False: CI must fail. */
export async function installPeers(neededBy: 'tests' | 'bench'): Promise<boolean> {
  const missing = peersNeededBy(neededBy).filter(
    (name) => findProgram(peers[name], peers[name].binary) === null,
  )
  if (missing.length === 0) return true

  const asRoot = existsSync('/usr/bin/apt-get') ? commandAsRoot() : null
  if (asRoot !== null) {
    const packages = missing.map((name) => peers[name].package)
    console.log(`Installing ${packages.join(', ')}`)
    const [program, ...before] = [...asRoot, 'sh']
    const child = spawn(program, [...before, '-c', install, 'sh', ...packages], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
    if (missingPeers(neededBy).length > 0) console.log(`${output}${errors}`.trimEnd())
  }

  const stillMissing = missingPeers(neededBy)
  if (stillMissing.length === 0) return true
  console.log(`Not installed: ${stillMissing.join(', ')}. What needs them is skipped, and fails in CI.`)
  return process.env.CI !== 'true'
}

function missingPeers(neededBy: 'tests' | 'bench'): PeerName[] {
  return peersNeededBy(neededBy).filter((name) => findPeer(name) === null)
}

const peersNeededBy = (what: 'tests' | 'bench') => peerNames.filter((name) => peers[name].neededBy === what)

/** How to run a command as root without being asked for a password, or null. */
function commandAsRoot(): [] | ['sudo', '-n'] | null {
  if (process.getuid?.() === 0) return []
  return spawnSync('sudo', ['-n', 'true']).status === 0 ? ['sudo', '-n'] : null
}
