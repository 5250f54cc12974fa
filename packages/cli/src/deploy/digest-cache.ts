import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../../bin/user-folders.js'
import type { FoundFile } from './list-files.ts'
import { sha256 } from './sha256.ts'

/** Raise it when the meaning of a document changes. */
const formatVersion = 1
const maxFolders = 32
const maxFiles = 50_000
const maxDocumentBytes = 32 * 1024 ** 2
/** At least the resolution of the times that any file system keeps. */
const settledAfterMs = 2_000

type Row = [location: string, sha256: string, size: number, mtimeMs: number, ctimeMs: number, ino: number]

type Digested = FoundFile & { sha256: string }

/**
 * Remembers the digests of a folder's files between two deploys, as Git's index does. A file counts as unchanged if its
 * size, its inode and both of its times are the same; programs cannot set the change time (ctime). Whatever goes wrong
 * here, files are read again.
 */
export class DigestCache {
  /** Null if the user has no folder for it. */
  readonly #folder: string | null
  readonly #name: string
  readonly #openedAt: number
  /** In the order of the files. */
  readonly #rows: readonly Row[]
  /** Which row is probably the next one. */
  #next = 0
  #byLocation: ReadonlyMap<string, number> | null = null

  /** Open it before the folder is listed: only files that had not changed for a while by then are remembered. */
  constructor(env: NodeJS.ProcessEnv, published: string, now = Date.now()) {
    const cache = cacheFolder(env)
    this.#folder = cache === null ? null : join(cache, `digests-${formatVersion}`)
    this.#name = sha256(published)
    this.#openedAt = now
    this.#rows = this.#folder === null ? [] : readRows(join(this.#folder, this.#name))
  }

  find({ location, size, stats: { mtimeMs, ctimeMs, ino } }: FoundFile): string | undefined {
    const row = this.#rowOf(location)
    const isSame =
      row !== undefined && row[2] === size && row[3] === mtimeMs && row[4] === ctimeMs && row[5] === ino
    return isSame ? row[1] : undefined
  }

  save(files: readonly Digested[]): void {
    if (this.#folder === null) return
    const settled = files.filter((file) => this.#isSettled(file))
    const isSaved =
      settled.length === this.#rows.length && settled.every((file) => this.find(file) === file.sha256)
    if (isSaved || settled.length > maxFiles) return
    const rows = settled.map(({ location, sha256, size, stats: { mtimeMs, ctimeMs, ino } }): Row => {
      return [location, sha256, size, mtimeMs, ctimeMs, ino]
    })
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      const document = join(this.#folder, this.#name)
      const temporary = `${document}.${randomUUID()}`
      const text = JSON.stringify(rows)
      writeFileSync(temporary, `${sha256(text)}\n${text}`, { mode: 0o600, flag: 'wx' })
      renameSync(temporary, document)
      removeOldest(this.#folder)
    } catch {
      // The next deploy reads the files again.
    }
  }

  /** Files are asked for in their order, which saves thousands of searches. */
  #rowOf(location: string): Row | undefined {
    if (this.#rows[this.#next]?.[0] !== location) {
      this.#byLocation ??= new Map(this.#rows.map((row, index) => [row[0], index]))
      const index = this.#byLocation.get(location)
      if (index === undefined) return undefined
      this.#next = index
    }
    return this.#rows[this.#next++]
  }

  /**
   * A file that changed just now could change again without a new time. File systems without a change time of their
   * own, such as images and some network drives, show whole seconds.
   */
  #isSettled({ stats: { mtimeMs, ctimeMs } }: FoundFile): boolean {
    return Math.max(mtimeMs, ctimeMs) < this.#openedAt - settledAfterMs && ctimeMs % 1000 !== 0
  }
}

function readRows(document: string): Row[] {
  try {
    if (statSync(document).size > maxDocumentBytes) return []
    const content = readFileSync(document, 'utf8')
    const end = content.indexOf('\n')
    const text = content.slice(end + 1)
    if (content.slice(0, end) !== sha256(text)) return []
    const rows = JSON.parse(text) as Row[]
    return Array.isArray(rows) && rows.every((row) => Array.isArray(row)) ? rows : []
  } catch {
    return []
  }
}

function removeOldest(folder: string): void {
  const documents = readdirSync(folder).map((name) => join(folder, name))
  if (documents.length <= maxFolders) return
  const dated = documents.map((path) => ({ path, at: statSync(path).mtimeMs }))
  dated.sort((a, b) => b.at - a.at)
  for (const { path } of dated.slice(maxFolders)) rmSync(path, { force: true })
}
