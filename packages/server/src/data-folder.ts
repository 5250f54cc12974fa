import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Sessions, hashes and what tenants published: for the owner of the process alone. */
const ownerOnly = { folder: 0o700, file: 0o600 }
const others = 0o077

/** What older versions, or a copy that was put back, may have left open. SQLite gives its files the mode of the first. */
const existing = [
  ['masthead.db', ownerOnly.file],
  ['masthead.db-wal', ownerOnly.file],
  ['masthead.db-shm', ownerOnly.file],
  ['blobs', ownerOnly.folder],
] as const

/** Makes the data folder where it is missing. From now on whatever this process creates is its owner's alone. */
export async function openDataFolder(
  path: string,
  log: { warn(details: object, message: string): void },
): Promise<void> {
  process.umask(process.umask() | others)
  await mkdir(path, { recursive: true, mode: ownerOnly.folder })
  for (const [name, mode] of [['.', ownerOnly.folder] as const, ...existing]) {
    const file = join(path, name)
    await chmod(file, mode).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') log.warn({ err: error, file }, 'others on this machine may read this file')
    })
  }
}
