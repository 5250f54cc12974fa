import { access, mkdir, open, readFile, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { forEachConcurrently } from '../../kernel/concurrency.ts'
import {
  type BlobFile,
  type BlobKey,
  type BlobStore,
  blobPath,
  type CommitKey,
  documentPath,
  type StagedBlob,
  storedKey,
} from '../blob-store.ts'
import { isMissing, unlessMissing } from '../missing.ts'
import { FileThread } from './file-thread.ts'
import { minForThread, openSpool, type SpooledFile } from './spool.ts'
import { writeDurably } from './write-durably.ts'

const maxConcurrent = 8

/** Stores blobs as files: `{account}/{aa}/{sha256}[.br|.zst|.gz]`, next to `staging/` and `documents/`. */
export async function createFileStore(folder: string): Promise<BlobStore> {
  const thread = new FileThread()
  const spool = await openSpool(join(folder, 'staging'), thread)
  const pathOf = (key: BlobKey) => join(folder, blobPath(key))
  const stage: BlobStore['stage'] = async (source, maxBytes) =>
    new StagedFile(await spool.write(source, maxBytes), pathOf)

  return {
    stage,
    stageAll: async (batch) => (await spool.writeAll(batch)).map((file) => new StagedFile(file, pathOf)),
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
      const path = spool.newPath()
      await writeDurably(path, [content])
      await move(path, target)
      // fsync the folder, or the rename may not survive a power cut.
      await syncFolder(dirname(target))
    },
    readDocument: async (name) => unlessMissing(readFile(join(folder, documentPath(name))), null),
    removeDocument: async (name) => unlessMissing(unlink(join(folder, documentPath(name))), undefined),
    probe: async () => (await stage([Buffer.from('ok')], 2)).discard(),
  }
}

async function openForReading(path: string): Promise<BlobFile> {
  const file = await open(path, 'r')
  return {
    read: async (start, into) => (await file.read(into, 0, into.length, start)).bytesRead,
    readParts: async (start, into) => (await file.readv(into, start)).bytesRead,
    close: () => file.close(),
  }
}

class StagedFile implements StagedBlob {
  readonly path: string
  readonly sha256: string
  readonly size: number
  isMoved = false
  readonly #pathOf: (key: BlobKey) => string

  constructor({ path, sha256, size }: SpooledFile, pathOf: (key: BlobKey) => string) {
    this.path = path
    this.sha256 = sha256
    this.size = size
    this.#pathOf = pathOf
  }

  async send(): Promise<void> {}

  async commit(key: CommitKey): Promise<void> {
    await move(this.path, this.#pathOf(storedKey(key, this.sha256)))
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
