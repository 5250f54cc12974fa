import type { BlobKey, BlobStore } from '../../blobs/blob-store.ts'
import { BoundedCache } from '../../kernel/cache/bounded-cache.ts'
import { detachBytes } from '../../kernel/cache/detach-bytes.ts'
import { singleFlight } from '../../kernel/single-flight.ts'
import type { ReplyBody } from './reply.ts'

const MiB = 1024 ** 2

export interface ContentLimits {
  totalBytes: number
  bytesPerFile: number
}

export const defaultContentLimits: ContentLimits = { totalBytes: 64 * MiB, bytesPerFile: MiB }

/** What a content takes in memory besides its bytes. */
export const bytesPerEntry = 1_024

/** The contents of small files in memory. Content is addressed by its digest, so it never becomes outdated. */
export class ContentCache {
  readonly #blobs: Pick<BlobStore, 'read'>
  readonly #limits: ContentLimits
  readonly #contents: BoundedCache<Buffer>

  /** Concurrent loads of one file share a read. */
  readonly load = singleFlight((id: string, key: BlobKey, size: number) => this.#read(id, key, size))

  constructor(blobs: Pick<BlobStore, 'read'>, limits: ContentLimits = defaultContentLimits) {
    this.#blobs = blobs
    this.#limits = limits
    this.#contents = new BoundedCache(limits.totalBytes)
  }

  get bytes(): number {
    return this.#contents.weight
  }

  accepts(size: number): boolean {
    return size <= this.#limits.bytesPerFile
  }

  get(id: string): Buffer | undefined {
    return this.#contents.get(id)
  }

  async #read(id: string, key: BlobKey, size: number): Promise<Buffer> {
    const bytes = detachBytes(await this.#blobs.read(key, size))
    if (bytes.length !== size) throw new Error(`${id} has ${bytes.length} bytes instead of ${size}`)
    this.#contents.set(id, bytes, size + bytesPerEntry)
    return bytes
  }
}

export type BlobBody = Extract<ReplyBody, { kind: 'blob' }>

export function sliceContent(content: Buffer, { range }: BlobBody): Buffer {
  return range === null ? content : content.subarray(range.start, range.end + 1)
}
