import { existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../kernel/program/process-lifetime.ts'
import { syncFolder } from './files/stored-files.ts'
import type { TableDigests } from './rows/table-digest.ts'

/** Increased when older programs would misread a backup. */
export const backupFormat = 1

/** Written last: a snapshot without it is incomplete. */
export interface SnapshotManifest {
  format: number
  /** Of the program that made it. */
  version: string
  createdAt: string
  from: 'sqlite' | 'postgres'
  tables: TableDigests
  /** Of `rows.db` itself. */
  rowsSha256: string
  files: { count: number; bytes: number; digest: string }
  /** Files that the installation had lost when the backup was made. */
  lost: string[]
  hasMasterKey: boolean
}

const timeName = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/
const ownFiles =
  /^((rows|files|attempt)\.db(-journal|-wal|-shm)?|manifest\.json(\.draft)?|master\.key(\.[0-9a-f]{12})?)$/

/** Whether a path in a backup's folder is that of a snapshot, or above or below one. */
export function isSnapshotPath(path: string): boolean {
  const [top, name, file, ...more] = path.split('/')
  if (top !== 'snapshots' || more.length > 0) return false
  return (name === undefined || timeName.test(name)) && (file === undefined || ownFiles.test(file))
}

/** `snapshots/2030-01-31T12-00-00Z/` in a backup's folder. */
export class SnapshotFolder {
  readonly name: string
  readonly path: string

  constructor(backup: string, name: string) {
    this.name = name
    this.path = join(backup, 'snapshots', name)
  }

  get rowsFile(): string {
    return join(this.path, 'rows.db')
  }

  get listFile(): string {
    return join(this.path, 'files.db')
  }

  /** The list of an attempt that has to be repeated. */
  get attemptFile(): string {
    return join(this.path, 'attempt.db')
  }

  get masterKeyFile(): string {
    return join(this.path, 'master.key')
  }

  get isComplete(): boolean {
    return existsSync(this.#manifestFile)
  }

  /** False if somebody renamed it. */
  get hasTimeName(): boolean {
    return timeName.test(this.name)
  }

  async hasManifest(): Promise<boolean> {
    return this.isComplete && parse(await readFile(this.#manifestFile, 'utf8')) !== null
  }

  async readManifest(): Promise<SnapshotManifest> {
    const manifest = parse(await readFile(this.#manifestFile, 'utf8'))
    if (manifest === null)
      throw new OperatorError(`${this.#manifestFile} is damaged. Use another snapshot, or make a new backup.`)
    if (manifest.format > backupFormat)
      throw new OperatorError(
        `The snapshot ${this.name} was made by a newer version of Masthead (${manifest.version}). Update this program.`,
      )
    return manifest
  }

  /** From here on the snapshot is complete. */
  async complete(manifest: SnapshotManifest): Promise<void> {
    const draft = `${this.#manifestFile}.draft`
    await writeAndSync(draft, `${JSON.stringify(manifest, null, 2)}\n`)
    await rename(draft, this.#manifestFile)
    await syncFolder(this.path)
    await syncFolder(join(this.path, '..'))
  }

  /** Incomplete first, so that a half-removed snapshot is never taken for one. */
  async remove(): Promise<void> {
    await rm(this.#manifestFile, { force: true })
    await rm(this.path, { recursive: true, force: true })
  }

  async removeRows(): Promise<void> {
    for (const ending of ['', '-journal', '-wal', '-shm'])
      await rm(`${this.rowsFile}${ending}`, { force: true })
  }

  get #manifestFile(): string {
    return join(this.path, 'manifest.json')
  }
}

function parse(text: string): SnapshotManifest | null {
  try {
    const manifest = JSON.parse(text) as SnapshotManifest
    return Number.isInteger(manifest.format) && typeof manifest.version === 'string' ? manifest : null
  } catch {
    return null
  }
}

async function writeAndSync(path: string, content: string): Promise<void> {
  await using file = await open(path, 'w', 0o600)
  await file.writeFile(content)
  await file.sync()
}

export async function createSnapshotFolder(backup: string, now: Date): Promise<SnapshotFolder> {
  const name = now.toISOString().replace(/\.\d+/, '').replaceAll(':', '-')
  const snapshot = new SnapshotFolder(backup, name)
  if (snapshot.isComplete) return createSnapshotFolder(backup, new Date(now.getTime() + 1000))
  await snapshot.remove()
  await mkdir(snapshot.path, { recursive: true, mode: 0o700 })
  return snapshot
}

/** Oldest first, after complete ones that somebody renamed. Everything else in the folder is not ours. */
export async function listSnapshots(backup: string): Promise<SnapshotFolder[]> {
  const names = await readdir(join(backup, 'snapshots')).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
    throw error
  })
  const all = names.sort().map((name) => new SnapshotFolder(backup, name))
  const renamed = all.filter((one) => !one.hasTimeName && one.isComplete && existsSync(one.listFile))
  return [...renamed, ...all.filter((one) => one.hasTimeName)]
}

/** The newest one that was made of an installation with all its files. */
export async function findWithoutLosses(backup: string): Promise<SnapshotFolder | null> {
  for (const snapshot of (await listSnapshots(backup)).toReversed()) {
    const manifest = await snapshot.readManifest().catch(() => null)
    if (manifest?.lost.length === 0) return snapshot
  }
  return null
}

/** The one asked for, or the newest complete one. */
export async function chooseSnapshot(backup: string, name: string | null): Promise<SnapshotFolder> {
  const all = await listSnapshots(backup)
  const complete = all.filter(({ isComplete }) => isComplete)
  const chosen = name === null ? complete.at(-1) : complete.find((one) => one.name === name)
  if (chosen !== undefined) return chosen
  const incomplete = all.some((one) => !one.isComplete && (name === null || one.name === name))
  const known = complete.length === 0 ? '' : ` There are: ${complete.map((one) => one.name).join(', ')}.`
  throw new OperatorError(
    incomplete
      ? `The backup in ${backup} was interrupted and is incomplete. Run masthead-server backup again to finish it.${known}`
      : `There is no backup${name === null ? '' : ` called ${name}`} in ${backup}.${known}`,
  )
}
