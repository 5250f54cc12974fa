import { randomBytes } from 'node:crypto'
import { access, mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { forEachConcurrently } from '../../kernel/concurrency.ts'
import {
  type BlobFile,
  type BlobKey,
  type BlobStore,
  blobPath,
  documentPath,
  type StagedBlob,
} from '../blob-store.ts'
import { FileThread } from './file-thread.ts'
import { writeDurably } from './write-durably.ts'

const maxStagingAge = 24 * 60 * 60 * 1000
/** For fewer files the thread is not worth starting. */
const minForThread = 16
const maxConcurrent = 8

/** Stores blobs as files: `{account}/{aa}/{sha256}[.br|.zst|.gz]`, next to `staging/` and `documents/`. */
export async function createFileStore(folder: string): Promise<BlobStore> {
  const staging = join(folder, 'staging')
  await mkdir(staging, { recursive: true, mode: 0o700 })
  await removeStale(staging)

  const session = randomBytes(8).toString('hex')
  let staged = 0
  const stagingPath = () => join(staging, `${session}-${++staged}`)
  const pathOf = (key: BlobKey) => join(folder, blobPath(key))
  const thread = new FileThread()

  const stage: BlobStore['stage'] = async (source, maxBytes) => {
    const path = stagingPath()
    return new StagedFile(path, await writeDurably(path, source, maxBytes), pathOf)
  }

  return {
    stage,
    async stageAll(batch) {
      const { contents, bytes } = batch
      if (contents.length < minForThread) {
        const staged = await Promise.allSettled(
          contents.map((content) => stage([batch.contentOf(content)], content.size)),
        )
        return allOrNone(staged)
      }
      const files = contents.map(({ start, size }) => ({ path: stagingPath(), start, size }))
      await thread.run({ kind: 'write', bytes, files })
      return contents.map((content, index) => new StagedFile(files[index]?.path ?? '', content, pathOf))
    },
    async commitAll(staged, accountId) {
      if (staged.length < minForThread || !staged.every((blob) => blob instanceof StagedFile)) {
        return forEachConcurrently(staged, maxConcurrent, (blob) => blob.commit({ accountId }))
      }
      const files = staged.map(({ path, sha256 }) => ({ from: path, to: pathOf({ accountId, sha256 }) }))
      await thread.run({ kind: 'move', files })
      for (const blob of staged) blob.isMoved = true
    },
    read: async (key) => readFile(pathOf(key)),
    openFile: async (key) => openForReading(pathOf(key)),
    has: async (key) =>
      unlessMissing(
        access(pathOf(key)).then(() => true),
        false,
      ),
    remove: async (key) => unlessMissing(unlink(pathOf(key)), undefined),

    async writeDocument(name, content) {
      const target = join(folder, documentPath(name))
      const path = stagingPath()
      await writeDurably(path, [content])
      await move(path, target)
      // fsync the folder, or the rename may not survive a power cut.
      await syncFolder(dirname(target))
    },
    readDocument: async (name) => unlessMissing(readFile(join(folder, documentPath(name))), null),
    removeDocument: async (name) => unlessMissing(unlink(join(folder, documentPath(name))), undefined),
  }
}

async function openForReading(path: string): Promise<BlobFile> {
  const file = await open(path, 'r')
  return {
    read: async (start, into) => (await file.read(into, 0, into.length, start)).bytesRead,
    close: () => file.close(),
  }
}

async function allOrNone(attempts: PromiseSettledResult<StagedBlob>[]): Promise<StagedBlob[]> {
  const staged = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []))
  const failed = attempts.find((attempt) => attempt.status === 'rejected')
  if (failed === undefined) return staged
  for (const blob of staged) await blob.discard()
  throw failed.reason
}

class StagedFile implements StagedBlob {
  readonly path: string
  readonly sha256: string
  readonly size: number
  isMoved = false
  readonly #pathOf: (key: BlobKey) => string

  constructor(
    path: string,
    { sha256, size }: { sha256: string; size: number },
    pathOf: (key: BlobKey) => string,
  ) {
    this.path = path
    this.sha256 = sha256
    this.size = size
    this.#pathOf = pathOf
  }

  async commit(key: { accountId: string } | Required<BlobKey>): Promise<void> {
    // Uncompressed content is always stored under its own digest, whatever the key says.
    const isCompressed = 'encoding' in key && key.encoding !== undefined
    await move(
      this.path,
      this.#pathOf(isCompressed ? key : { accountId: key.accountId, sha256: this.sha256 }),
    )
    this.isMoved = true
  }

  async discard(): Promise<void> {
    if (!this.isMoved) await unlessMissing(unlink(this.path), undefined)
  }
}

/** The folder nearly always exists, so it is only created if the rename fails. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (!isMissing(error)) throw error
    await mkdir(dirname(to), { recursive: true, mode: 0o700 })
    await rename(from, to)
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Removes what a crash left behind. No upload takes longer than a day. */
async function removeStale(staging: string): Promise<void> {
  const before = Date.now() - maxStagingAge
  for (const name of await readdir(staging)) {
    const path = join(staging, name)
    const modified = await unlessMissing(
      stat(path).then(({ mtimeMs }) => mtimeMs),
      Number.POSITIVE_INFINITY,
    )
    if (modified < before) await unlessMissing(unlink(path), undefined)
  }
}

async function unlessMissing<T, F>(attempt: Promise<T>, fallback: F): Promise<T | F> {
  try {
    return await attempt
  } catch (error) {
    if (isMissing(error)) return fallback
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
