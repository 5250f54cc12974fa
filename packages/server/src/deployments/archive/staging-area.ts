import { hash } from 'node:crypto'
import type { StagedBlob } from '../../blobs/blob-store.ts'
import { ContentBatch } from '../../blobs/content-batch.ts'
import { Problem } from '../../kernel/problem.ts'
import type { ManifestFile } from '../manifest.ts'
import type { ArchiveFile, ArchiveUpload } from './archive.ts'

/** Files up to this size are collected, and written together in the background while reading continues. */
const maxBufferedBytes = 256 * 1024
const maxConcurrentWrites = 4

/** Writes the contents of one archive to disk, each distinct one once, within the space of the account. */
export class StagingArea {
  readonly #upload: Pick<ArchiveUpload, 'limits' | 'blobs' | 'space' | 'held'>
  readonly #staged = new Map<string, StagedBlob>()
  /** Digests of small files that are collected or staged, or that the account already has. */
  readonly #known = new Set<string>()
  readonly #writes = new Set<Promise<unknown>>()
  #batch = new ContentBatch()
  #failure: { error: unknown } | null = null

  constructor(upload: Pick<ArchiveUpload, 'limits' | 'blobs' | 'space' | 'held'>) {
    this.#upload = upload
  }

  get blobs(): StagedBlob[] {
    return [...this.#staged.values()]
  }

  /** Returns a promise only if it has to wait: thousands of small files arrive together. */
  add(file: Pick<ArchiveFile, 'size' | 'content' | 'whole'>): ManifestFile | Promise<ManifestFile> {
    if (file.size > maxBufferedBytes) return this.#addLarge(file)
    const content = file.whole?.() ?? readAll(file.content)
    if (content instanceof Promise) return content.then((late) => this.#addBuffered(late))
    return this.#addBuffered(content)
  }

  /** Waits for all writes, and throws if one failed. */
  async finish(): Promise<void> {
    await this.#writeBatch()
    await Promise.all(this.#writes)
    this.#throwFailure()
  }

  async discard(): Promise<void> {
    await Promise.all(this.#writes)
    await Promise.allSettled(this.blobs.map((blob) => blob.discard()))
  }

  async #addLarge({ size, content }: Pick<ArchiveFile, 'size' | 'content'>): Promise<ManifestFile> {
    await this.#takeSpace(size)
    return this.#stage(content)
  }

  #addBuffered(content: Uint8Array): ManifestFile | Promise<ManifestFile> {
    const file = { sha256: hash('sha256', content), size: content.byteLength }
    if (this.#known.has(file.sha256)) return file
    if (this.#upload.space !== undefined || !this.#batch.hasRoomFor(file.size)) {
      return this.#collectLater(file, content)
    }
    this.#collect(file, content)
    return file
  }

  async #collectLater(file: ManifestFile, content: Uint8Array): Promise<ManifestFile> {
    if (!(await this.#hasSpaceFor(file))) return file
    if (!this.#batch.hasRoomFor(file.size)) await this.#writeBatch()
    this.#collect(file, content)
    return file
  }

  #collect({ sha256 }: ManifestFile, content: Uint8Array): void {
    this.#known.add(sha256)
    this.#batch.add(sha256, content)
  }

  /** Starts to write what is collected, once there are few enough other writes. */
  async #writeBatch(): Promise<void> {
    const batch = this.#batch
    this.#batch = new ContentBatch()
    while (this.#writes.size >= maxConcurrentWrites) await Promise.race(this.#writes)
    this.#throwFailure()
    if (batch.contents.length === 0) return
    const write = this.#stageBatch(batch)
      .catch((error) => {
        this.#failure ??= { error }
      })
      .finally(() => this.#writes.delete(write))
    this.#writes.add(write)
  }

  /** Files that the account already has are not stored again. `held` keeps them from being swept. */
  async #stageBatch(batch: ContentBatch): Promise<void> {
    const { blobs, space, held } = this.#upload
    const already = new Set(await held?.(batch.contents.map(({ sha256 }) => sha256)))
    const rest = already.size === 0 ? batch : batch.without(already)
    for (const { sha256, size } of batch.contents) if (already.has(sha256)) space?.release(size)
    if (rest.contents.length === 0) return
    for (const blob of await blobs.stageAll(rest)) await this.#keep(blob)
  }

  async #stage(content: AsyncIterable<Uint8Array>): Promise<ManifestFile> {
    const { blobs, limits, held } = this.#upload
    const blob = await blobs.stage(content, limits.bytesPerFile)
    const { sha256, size } = blob
    await this.#keep(blob, (await held?.([sha256]))?.length === 1)
    return { sha256, size }
  }

  async #keep(blob: StagedBlob, isHeld = false): Promise<void> {
    if (isHeld || this.#staged.has(blob.sha256)) {
      await blob.discard()
      this.#upload.space?.release(blob.size)
    } else this.#staged.set(blob.sha256, blob)
  }

  /** If storage is short, false for a file that the account already has. */
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
      // Files that turn out to exist already give back their space.
      await this.finish()
      await space.take(bytes)
    })
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
