import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { findPeer, type PeerName, peerNames, peers } from './peers.ts'

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
  const missing = missingPeers(neededBy)
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
  return peerNames.filter((name) => peers[name].neededBy === neededBy && findPeer(name) === null)
}

/** How to run a command as root without being asked for a password, or null. */
function commandAsRoot(): [] | ['sudo', '-n'] | null {
  if (process.getuid?.() === 0) return []
  return spawnSync('sudo', ['-n', 'true']).status === 0 ? ['sudo', '-n'] : null
}
