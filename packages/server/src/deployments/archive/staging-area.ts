import { hash } from 'node:crypto'
import type { StagedBlob } from '../../blobs/blob-store.ts'
import { Problem } from '../../kernel/problem.ts'
import type { ManifestFile } from '../manifest.ts'
import type { ArchiveFile, ArchiveUpload } from './archive.ts'

/** Files up to this size are read into memory and written in the background while reading continues. */
const maxBufferedBytes = 256 * 1024
const maxConcurrentWrites = 8

/** Writes the contents of one archive to disk, each distinct one once, within the space of the account. */
export class StagingArea {
  readonly #upload: Pick<ArchiveUpload, 'limits' | 'blobs' | 'space' | 'held'>
  readonly #staged = new Map<string, StagedBlob>()
  /** Digests of small files that are staged or being staged. */
  readonly #known = new Set<string>()
  /** Digests of staged files that the account did not have when we checked. */
  readonly #unheld = new Set<string>()
  readonly #writes = new Set<Promise<unknown>>()
  #failure: { error: unknown } | null = null

  constructor(upload: Pick<ArchiveUpload, 'limits' | 'blobs' | 'space' | 'held'>) {
    this.#upload = upload
  }

  get blobs(): StagedBlob[] {
    return [...this.#staged.values()]
  }

  async add({ size, content }: Pick<ArchiveFile, 'size' | 'content'>): Promise<ManifestFile> {
    if (size <= maxBufferedBytes) return this.#addBuffered(await readAll(content))
    await this.#takeSpace(size)
    return this.#stage(content)
  }

  /** Waits for all writes, and throws if one failed. */
  async finish(): Promise<void> {
    await Promise.all(this.#writes)
    this.#throwFailure()
  }

  async discard(): Promise<void> {
    await Promise.all(this.#writes)
    await Promise.allSettled(this.blobs.map((blob) => blob.discard()))
  }

  async discardExcept(digests: ReadonlySet<string>): Promise<void> {
    for (const [sha256, blob] of this.#staged) {
      if (digests.has(sha256)) continue
      await blob.discard()
      this.#staged.delete(sha256)
    }
  }

  async #addBuffered(content: Uint8Array): Promise<ManifestFile> {
    const file = { sha256: hash('sha256', content), size: content.byteLength }
    if (this.#known.has(file.sha256)) return file
    this.#known.add(file.sha256)
    if (!(await this.#hasSpaceFor(file))) return file
    while (this.#writes.size >= maxConcurrentWrites) await Promise.race(this.#writes)
    this.#throwFailure()
    const write = this.#stage([content])
      .catch((error) => {
        this.#failure ??= { error }
      })
      .finally(() => this.#writes.delete(write))
    this.#writes.add(write)
    return file
  }

  async #stage(content: AsyncIterable<Uint8Array> | Uint8Array[]): Promise<ManifestFile> {
    const { blobs, limits, space } = this.#upload
    const blob = await blobs.stage(content, limits.bytesPerFile)
    if (this.#staged.has(blob.sha256)) {
      await blob.discard()
      space?.release(blob.size)
    } else this.#staged.set(blob.sha256, blob)
    return { sha256: blob.sha256, size: blob.size }
  }

  /** If storage is short, files that the account already has are not stored again; false for such a file. */
  async #hasSpaceFor({ sha256, size }: ManifestFile): Promise<boolean> {
    try {
      await this.#takeSpace(size)
      return true
    } catch (error) {
      if ((await this.#upload.held?.([sha256]))?.length === 1) return false
      throw error
    }
  }

  async #takeSpace(bytes: number): Promise<void> {
    const { space } = this.#upload
    await space?.take(bytes).catch(async (error: unknown) => {
      if (!(error instanceof Problem && error.code === 'storage_full')) throw error
      if ((await this.#discardHeld()) === 0) throw error
      await space.take(bytes)
    })
  }

  /** Releases the space of files that the account already has. Nothing is swept during an upload, so they stay. */
  async #discardHeld(): Promise<number> {
    await Promise.all(this.#writes)
    const unchecked = [...this.#staged.keys()].filter((digest) => !this.#unheld.has(digest))
    const held = new Set(await this.#upload.held?.(unchecked))
    let bytes = 0
    for (const digest of unchecked) {
      const blob = this.#staged.get(digest)
      if (!held.has(digest) || blob === undefined) {
        this.#unheld.add(digest)
        continue
      }
      await blob.discard()
      this.#staged.delete(digest)
      this.#upload.space?.release(blob.size)
      bytes += blob.size
    }
    return bytes
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error
  }
}

async function readAll(content: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const part of content) parts.push(part)
  const [first] = parts
  return first && parts.length === 1 ? first : Buffer.concat(parts)
}
