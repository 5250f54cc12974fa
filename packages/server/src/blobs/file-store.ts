import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type BlobKey, type BlobStore, blobPath, documentPath, type StagedBlob } from './blob-store.ts'
import { writeDurably } from './write-durably.ts'

const stagedFor = 24 * 60 * 60 * 1000

/** Blobs as files: `{account}/{aa}/{sha256}[.br|.zst|.gz]`, with `staging/` and `documents/` beside them. */
export async function createFileStore(folder: string): Promise<BlobStore> {
  const staging = join(folder, 'staging')
  await mkdir(staging, { recursive: true, mode: 0o700 })
  await removeStale(staging)

  const session = randomBytes(8).toString('hex')
  let staged = 0
  const stagingPath = () => join(staging, `${session}-${++staged}`)
  const placeOf = (key: BlobKey) => join(folder, blobPath(key))

  return {
    async stage(source, maxBytes) {
      const path = stagingPath()
      return stagedFile(path, await writeDurably(path, source, maxBytes), placeOf)
    },
    read: async (key) => readFile(placeOf(key)),
    open: (key, range) => createReadStream(placeOf(key), range),
    has: async (key) =>
      unlessMissing(
        access(placeOf(key)).then(() => true),
        false,
      ),
    remove: async (key) => unlessMissing(unlink(placeOf(key)), undefined),

    async writeDocument(name, content) {
      const place = join(folder, documentPath(name))
      const path = stagingPath()
      await writeDurably(path, [content])
      await move(path, place)
      // Or a power cut could bring back the document that was replaced.
      await syncFolder(dirname(place))
    },
    readDocument: async (name) => unlessMissing(readFile(join(folder, documentPath(name))), null),
    removeDocument: async (name) => unlessMissing(unlink(join(folder, documentPath(name))), undefined),
  }
}

function stagedFile(
  path: string,
  { sha256, size }: { sha256: string; size: number },
  placeOf: (key: BlobKey) => string,
): StagedBlob {
  let moved = false
  return {
    sha256,
    size,
    async commit(place) {
      // Plain content goes under its own digest whatever is asked; only a compressed form has another's.
      const named = 'encoding' in place && place.encoding !== undefined
      await move(path, placeOf(named ? place : { accountId: place.accountId, sha256 }))
      moved = true
    },
    async discard() {
      if (!moved) await unlessMissing(unlink(path), undefined)
    },
  }
}

/** The folder is nearly always there, so it is made only when the rename finds it missing. */
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

/** What a crash left in staging. A day is longer than any upload lasts. */
async function removeStale(staging: string): Promise<void> {
  const before = Date.now() - stagedFor
  for (const name of await readdir(staging)) {
    const path = join(staging, name)
    const modified = await unlessMissing(
      stat(path).then(({ mtimeMs }) => mtimeMs),
      Number.POSITIVE_INFINITY,
    )
    if (modified < before) await unlessMissing(unlink(path), undefined)
  }
}

async function unlessMissing<T, F>(attempt: Promise<T>, otherwise: F): Promise<T | F> {
  try {
    return await attempt
  } catch (error) {
    if (isMissing(error)) return otherwise
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
