import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  type BlobFile,
  type BlobKey,
  type BlobStore,
  blobPath,
  documentPath,
  type StagedBlob,
} from './blob-store.ts'
import { writeDurably } from './write-durably.ts'

const maxStagingAge = 24 * 60 * 60 * 1000

/** Stores blobs as files: `{account}/{aa}/{sha256}[.br|.zst|.gz]`, next to `staging/` and `documents/`. */
export async function createFileStore(folder: string): Promise<BlobStore> {
  const staging = join(folder, 'staging')
  await mkdir(staging, { recursive: true, mode: 0o700 })
  await removeStale(staging)

  const session = randomBytes(8).toString('hex')
  let staged = 0
  const stagingPath = () => join(staging, `${session}-${++staged}`)
  const pathOf = (key: BlobKey) => join(folder, blobPath(key))

  return {
    async stage(source, maxBytes) {
      const path = stagingPath()
      return stagedFile(path, await writeDurably(path, source, maxBytes), pathOf)
    },
    read: async (key) => readFile(pathOf(key)),
    open: (key, range) => createReadStream(pathOf(key), range),
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
    async read(start, length) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, start)
      return buffer.subarray(0, bytesRead)
    },
    close: () => file.close(),
  }
}

function stagedFile(
  path: string,
  { sha256, size }: { sha256: string; size: number },
  pathOf: (key: BlobKey) => string,
): StagedBlob {
  let moved = false
  return {
    sha256,
    size,
    async commit(key) {
      // Uncompressed content is always stored under its own digest, whatever the key says.
      const isCompressed = 'encoding' in key && key.encoding !== undefined
      await move(path, pathOf(isCompressed ? key : { accountId: key.accountId, sha256 }))
      moved = true
    },
    async discard() {
      if (!moved) await unlessMissing(unlink(path), undefined)
    },
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
