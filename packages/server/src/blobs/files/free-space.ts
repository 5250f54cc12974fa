import { statfs } from 'node:fs/promises'
import type { BlobStore } from '../blob-store.ts'

const mebibyte = 1024 ** 2

/** Each upload that arrives may take this much more before it looks again. */
const lookEveryBytes = 4 * mebibyte
/** What uploads leave of a disk for the database, the log, certificates and backups: a twentieth, at most this. */
const shareLeft = 1 / 20
const mostLeft = { bytes: 512 * mebibyte, files: 50_000 }

/** The same store, which takes no more content while the disk of the folder where it arrives is nearly full. */
export function leavingFreeSpace(store: BlobStore, folder: string): BlobStore {
  async function* whileSpaceIsLeft(
    source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array, void> {
    let unseen = lookEveryBytes
    for await (const chunk of source) {
      unseen += chunk.byteLength
      if (unseen >= lookEveryBytes) {
        await requireSpace(folder)
        unseen = 0
      }
      yield chunk
    }
  }

  return {
    ...store,
    whileSpaceIsLeft,
    stage: (source, maxBytes) => store.stage(whileSpaceIsLeft(source), maxBytes),
    async stageAll(batch) {
      await requireSpace(folder)
      return store.stageAll(batch)
    },
    async writeDocument(name, content) {
      await requireSpace(folder)
      await store.writeDocument(name, content)
    },
  }
}

async function requireSpace(folder: string): Promise<void> {
  const { bavail, blocks, bsize, ffree, files } = await statfs(folder)
  const bytesLeft = Math.min(mostLeft.bytes, blocks * bsize * shareLeft)
  // Some file systems have no fixed number of files, and count none.
  const filesLeft = Math.min(mostLeft.files, files * shareLeft)
  if (bavail * bsize >= bytesLeft && ffree >= filesLeft) return
  const shown = `${Math.ceil(bytesLeft / mebibyte)} MiB and ${Math.ceil(filesLeft)} files (inodes)`
  throw Object.assign(new Error(`The disk has less free than uploads leave: ${shown}`), { code: 'ENOSPC' })
}
