import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cacheFolder } from '../bin/user-folders.js'

/** Whether the first version is newer: `0.10.0` than `0.9.2`. What is no version is not. */
export function isNewer(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) =>
    /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})/.exec(text)?.slice(1).map(Number),
  )
  if (a === undefined || b === undefined) return false
  const at = a.findIndex((part, index) => part !== b[index])
  return at !== -1 && (a[at] ?? 0) > (b[at] ?? 0)
}

export interface NewerServer {
  server: string
  /** That the server named in an answer; null if it named none. */
  version: string | null
  own: string
  now: number
  env: NodeJS.ProcessEnv
}

/** The note about a server that is newer than this program, once a day per server; null otherwise. */
export function newerServerNote({ server, version, own, now, env }: NewerServer): string | null {
  if (version === null || !isNewer(version, own)) return null
  const folder = cacheFolder(env)
  // Without a place to remember it, every command would say it.
  if (folder === null) return null
  const file = join(folder, 'newer-servers.json')
  const today = new Date(now).toISOString().slice(0, 10)
  const noted = read(file)
  if (noted[server] === today) return null
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    // Only today's, so that it stays small.
    const kept = Object.entries(noted).filter(([, day]) => day === today)
    writeFileSync(file, JSON.stringify(Object.fromEntries([...kept, [server, today]])), { mode: 0o600 })
  } catch {
    // Said again next time.
  }
  return `${server} has a newer command line, ${version}. This is ${own}. Update it: see ${server}/cli`
}

function read(file: string): Record<string, unknown> {
  try {
    const noted: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof noted === 'object' && noted !== null ? { ...noted } : {}
  } catch {
    return {}
  }
}
