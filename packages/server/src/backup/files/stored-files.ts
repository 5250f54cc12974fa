import { hash, randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { writeDurably } from '../../blobs/files/write-durably.ts'
import { digestContent, inPieces, isMissing, type StoredContent } from './read-content.ts'

const draftPath = /^incoming\/[0-9a-f]{24}$/
const filePath = /^([0-9a-f]{2})\/\1[0-9a-f]{62}$/
const folderName = /^(incoming|[0-9a-f]{2})$/

/** Whether a path in a backup's folder is that of a stored file, or above one. */
export function isStoredPath(path: string): boolean {
  const below = path.slice('files/'.length)
  if (path === 'files') return true
  return path.startsWith('files/') && [draftPath, filePath, folderName].some((one) => one.test(below))
}

/** The files of a backup, each under the digest of its content, shared by all snapshots. */
export class StoredFiles {
  readonly #folder: string
  readonly #changed = new Set<string>()
  /** What was not there before. */
  readonly added = { files: 0, bytes: 0 }

  constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * Files are complete as soon as they have their name, so the size is enough. With `check` the content is read, to
   * find one that was damaged later.
   */
  async holds(content: StoredContent, { check }: { check: boolean }): Promise<boolean> {
    const { sha256, size } = content
    try {
      if ((await stat(this.#path(sha256))).size !== size) return false
      return !check || (await digestContent(this.read(content))).sha256 === sha256
    } catch (error) {
      if (isMissing(error)) return false
      throw error
    }
  }

  /** Keeps the content unless it is not what is expected. Returns what it was. */
  async add(
    content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    expected?: string,
  ): Promise<StoredContent> {
    await mkdir(join(this.#folder, 'incoming'), { recursive: true, mode: 0o700 })
    const draft = join(this.#folder, 'incoming', randomBytes(12).toString('hex'))
    const written = await writeDurably(draft, content)
    if (expected !== undefined && written.sha256 !== expected) {
      await unlink(draft)
      return written
    }
    const folder = join(this.#folder, written.sha256.slice(0, 2))
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await rename(draft, this.#path(written.sha256))
    this.#changed.add(folder)
    this.added.files++
    this.added.bytes += written.size
    return written
  }

  async *read({ sha256, size }: StoredContent): AsyncGenerator<Uint8Array> {
    const file = await open(this.#path(sha256), 'r')
    const read = async (start: number, into: Buffer) =>
      (await file.read(into, 0, into.length, start)).bytesRead
    yield* inPieces({ read, close: () => file.close() }, size)
  }

  /** Null if it is missing or damaged. */
  async readAll(stored: StoredContent): Promise<Buffer | null> {
    const content = await buffer(this.read(stored))
    return hash('sha256', content) === stored.sha256 ? content : null
  }

  /** Or the renames may not survive a power cut. */
  async sync(): Promise<void> {
    for (const folder of [...this.#changed, this.#folder]) await syncFolder(folder)
    this.#changed.clear()
  }

  /** Removes interrupted writes, and every stored file that is not `isUsed`. Returns how many. */
  async prune(isUsed: (sha256: string) => boolean): Promise<number> {
    let removed = 0
    const folders = (await readdir(this.#folder)).filter((name) => folderName.test(name))
    for (const folder of folders) {
      for (const name of await readdir(join(this.#folder, folder))) {
        const path = `${folder}/${name}`
        const isStored = filePath.test(path)
        if (isStored ? isUsed(name) : !draftPath.test(path)) continue
        await unlink(join(this.#folder, path))
        if (isStored) removed++
      }
    }
    return removed
  }

  #path(sha256: string): string {
    return join(this.#folder, sha256.slice(0, 2), sha256)
  }
}

export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r')
  await folder.sync()
}
