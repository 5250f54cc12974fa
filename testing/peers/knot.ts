import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type NameServerOptions, type RunningNameServer, startNameServer } from './name-server.ts'
import { requirePeer } from './peers.ts'

/** Knot DNS with the given zones; for anything else it answers REFUSED. */
export async function startKnot(options: NameServerOptions): Promise<RunningNameServer> {
  const knotd = requirePeer('knot')
  const knotc = join(dirname(knotd), 'knotc')
  const control = (folder: string, ...command: string[]) =>
    promisify(execFile)(knotc, ['-s', join(folder, 'knot.sock'), '-b', ...command])
  return startNameServer(
    {
      name: 'Knot',
      command: (folder) => [knotd, '-c', join(folder, 'knot.conf')],
      settings: ({ folder, address, port, zones }) => ({
        'knot.conf': knotSettings(folder, `${address}@${port}`, zones),
      }),
      reloadSettings: async (folder) => void (await control(folder, 'reload')),
      reloadZone: async (folder, zone) => void (await control(folder, 'zone-reload', zone)),
    },
    options,
  )
}

function knotSettings(folder: string, listen: string, zones: string[]): string {
  return `
server:
    rundir: ${folder}
    listen: ${listen}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
control:
    listen: ${join(folder, 'knot.sock')}
database:
    storage: ${join(folder, 'state')}
log:
  - target: stderr
    any: warning
template:
  - id: default
    storage: ${folder}
    file: "%s.zone"
    zonefile-sync: -1
    journal-content: none
${zones.length > 0 ? 'zone:' : ''}
${zones.map((zone) => `  - domain: ${zone}`).join('\n')}
`
}
