import { createHash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { StartError } from '../program/process-lifetime.ts'

/** The shortest limit of any system for the path of a socket. */
const longestPath = 103
const longestProcessId = 7

/** Machines may share a data folder, and one may run several servers. */
export interface SocketPlace {
  dataFolder: string
  host: string
  httpPort: number
}

export type SocketPurpose = 'platform' | 'replace'

/** One per process: when a process ends, it removes its socket, and must not remove that of the process that replaced it. */
export function processSocketPath(purpose: SocketPurpose, place: SocketPlace): string {
  const path = join(place.dataFolder, nameFor(purpose, place, String(process.pid)))
  const length = Buffer.byteLength(path) + longestProcessId - String(process.pid).length
  if (length <= longestPath) return path
  throw new StartError(
    `MASTHEAD_DATA: ${JSON.stringify(place.dataFolder)} is too long for the sockets in it. ` +
      `Use a path of at most ${longestPath - (length - Buffer.byteLength(place.dataFolder))} bytes.`,
  )
}

/** Of other processes of this server: of those that run, and of those that were killed. */
export async function otherProcessSockets(purpose: SocketPurpose, place: SocketPlace): Promise<string[]> {
  const names = await readdir(place.dataFolder).catch(() => [])
  const prefix = nameFor(purpose, place, '').slice(0, -'.sock'.length)
  const own = nameFor(purpose, place, String(process.pid))
  return names
    .filter((name) => name.startsWith(prefix) && name !== own)
    .map((name) => join(place.dataFolder, name))
}

/** To be called when the ports were free: then no other process of this server runs. */
export async function removeOldSockets(place: SocketPlace): Promise<void> {
  for (const purpose of ['platform', 'replace'] as const) {
    for (const path of await otherProcessSockets(purpose, place)) await rm(path, { force: true })
  }
}

function nameFor(purpose: SocketPurpose, { host, httpPort }: SocketPlace, pid: string): string {
  const listener = createHash('sha256').update(`${hostname()} ${host} ${httpPort}`).digest('hex').slice(0, 12)
  return `${purpose}-${listener}-${pid}.sock`
}
