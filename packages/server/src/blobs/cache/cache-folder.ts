import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hour, minute } from '../../kernel/clock.ts'
import { type BlobKey, blobPath, documentPath } from '../blob-store.ts'
import { isMissing, unlessMissing } from '../missing.ts'

/** The modification time is when a file was last used, give or take this. */
const usePrecision = hour
/** Far longer than a fetch goes without writing. */
const maxWorkAge = 10 * minute
const maxRemembered = 20_000

/**
 * The files of the cache, shared by all processes of a machine: `content/{aa}/{account}-{sha256}[.br|.zst|.gz]` and
 * `documents/`, next to `work/` with what is not complete yet. A file under its final name is always whole.
 */
export class CacheFolder {
  readonly root: string
  /** Files this process has checked and marked as used, so that the next use costs no system call more. */
  readonly #checked = new Map<string, { size: number; at: number }>()
  readonly #session = randomBytes(8).toString('hex')
  #temporary = 0

  constructor(root: string) {
    this.root = root
  }

  contentPath(key: BlobKey): string {
    const [accountId = '', shard = '', name = ''] = blobPath(key).split('/')
    return join(this.root, 'content', shard, `${accountId}-${name}`)
  }

  documentPath(name: string): string {
    return join(this.root, documentPath(name))
  }

  /** The lock of the process that fetches this. */
  lockPath(path: string): string {
    return this.#workPath(`${path.slice(path.lastIndexOf('/') + 1)}.lock`)
  }

  temporaryPath(): string {
    return this.#workPath(`${this.#session}-${++this.#temporary}.part`)
  }

  async create(): Promise<void> {
    await mkdir(join(this.root, 'work'), { recursive: true, mode: 0o700 })
    await mkdir(join(this.root, 'content'), { recursive: true, mode: 0o700 })
    await mkdir(join(this.root, 'documents'), { recursive: true, mode: 0o700 })
  }

  /** Null if there is none, or one of another size. Counts as use. */
  async open(path: string, size?: number): Promise<FileHandle | null> {
    const checked = this.#checked.get(path)
    const file = await unlessMissing(open(path, 'r'), null)
    if (file === null) {
      this.#checked.delete(path)
      return null
    }
    const now = Date.now()
    const isChecked = checked !== undefined && now - checked.at < usePrecision
    if (isChecked && (size === undefined || size === checked.size)) return file
    try {
      const found = await file.stat()
      if (size === undefined || size === found.size) {
        if (now - found.mtimeMs > usePrecision) await file.utimes(now / 1000, now / 1000)
        this.#remember(path, found.size, now)
        return file
      }
      await file.close()
      return null
    } catch (error) {
      await file.close()
      throw error
    }
  }

  async read(path: string, size?: number): Promise<Buffer | null> {
    const file = await this.open(path, size)
    if (file === null) return null
    try {
      return await file.readFile()
    } finally {
      await file.close()
    }
  }

  async has(path: string, size?: number): Promise<boolean> {
    const found = await unlessMissing(stat(path), null)
    return found !== null && (size === undefined || size === found.size)
  }

  /** Whether this process has used it before. It may have been evicted since. */
  hasUsed(path: string, size?: number): boolean {
    const checked = this.#checked.get(path)
    return checked !== undefined && (size === undefined || size === checked.size)
  }

  async publish(temporary: string, path: string, size: number): Promise<void> {
    await rename(temporary, path).catch(async (error: unknown) => {
      if (!isMissing(error)) throw error
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await rename(temporary, path)
    })
    this.#remember(path, size, Date.now())
  }

  async remove(path: string): Promise<void> {
    this.#checked.delete(path)
    await unlessMissing(unlink(path), undefined)
  }

  /** Removes what killed processes left. What was written to lately is still in use. */
  async removeAbandoned(): Promise<void> {
    const work = join(this.root, 'work')
    for (const name of await readdir(work)) {
      const found = await unlessMissing(stat(join(work, name)), null)
      if (found !== null && Date.now() - found.mtimeMs > maxWorkAge)
        await unlessMissing(unlink(join(work, name)), undefined)
    }
  }

  #workPath(name: string): string {
    return join(this.root, 'work', name)
  }

  #remember(path: string, size: number, at: number): void {
    if (this.#checked.size >= maxRemembered) this.#checked.clear()
    this.#checked.set(path, { size, at })
  }
}
