import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freeDnsPort } from '../../free-port.ts'
import { startSupervised } from '../../supervised-process.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { requirePeer } from '../peers.ts'

export interface RunningUnbound extends AsyncDisposable {
  address: string
  port: number
  /** As host:port. */
  server: string
}

/**
 * A resolver that finds some zones at servers on this machine and knows no others. It mixes capitals into its questions
 * and refuses answers that do not repeat them, as public resolvers do.
 */
export async function startUnbound(
  zones: Record<string, { address: string; port: number }>,
  givenPort?: number,
): Promise<RunningUnbound> {
  const program = requirePeer('unbound')
  const { path: folder } = await temporaryFolder('masthead-unbound')
  const address = '127.0.0.1'
  const port = givenPort ?? (await freeDnsPort(address))
  const stubs = Object.entries(zones).map(
    ([zone, at]) => `stub-zone:\n  name: "${zone}"\n  stub-addr: ${at.address}@${at.port}\n`,
  )
  // Names such as those under .test are otherwise answered without asking.
  const tops = new Set(Object.keys(zones).map((zone) => zone.slice(zone.lastIndexOf('.') + 1)))
  const local = [...tops].map((top) => `  local-zone: "${top}" nodefault\n`)
  const settings = `
server:
  interface: ${address}
  port: ${port}
  chroot: ""
  username: ""
  directory: "${folder}"
  pidfile: ""
  use-syslog: no
  do-not-query-localhost: no
  use-caps-for-id: yes
  qname-minimisation: yes
  module-config: "iterator"
  num-threads: 1
${local.join('')}
remote-control:
  control-enable: no
${stubs.join('')}`
  const file = join(folder, 'unbound.conf')
  await writeFile(file, settings)
  const { stop } = await startSupervised({ command: [program, '-d', '-c', file], folder, ports: [port] })
  return { address, port, server: `${address}:${port}`, [Symbol.asyncDispose]: stop }
}
