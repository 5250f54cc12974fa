import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { findPeer, type PeerName } from '@masthead/testing/peers.ts'

/** The lines that say where and when a result was measured. */
export function describeMachine(): string[] {
  return [
    `- date: ${new Date().toISOString().slice(0, 10)}`,
    `- processor: ${processorModel()}, ${cpus().length} cores`,
    `- memory: ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `- system: ${systemName()}, ${type()} ${release()}`,
    `- node ${process.versions.node}, nginx ${version('nginx', '-v')}, Caddy ${version('caddy', 'version')}, h2o ${version('h2o', '-v')}`,
  ]
}

/** Node knows no model on ARM; lscpu does. */
function processorModel(): string {
  const known = cpus()[0]?.model
  if (known !== undefined && known !== '' && known !== 'unknown') return known
  const listed = spawnSync('lscpu', { encoding: 'utf8' }).stdout ?? ''
  return /^Model name:\s*(.+)$/m.exec(listed)?.[1] ?? process.arch
}

function systemName(): string {
  try {
    return /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? process.platform
  } catch {
    return process.platform
  }
}

function version(peer: PeerName, argument: string): string {
  const program = findPeer(peer)
  if (program === null) return 'not installed'
  const { stdout, stderr } = spawnSync(program, [argument], { encoding: 'utf8' })
  return /\d+(\.\d+)+/.exec(stdout + stderr)?.[0] ?? 'unknown'
}
