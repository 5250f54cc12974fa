import type { BlobKey, BlobStore } from '../../blobs/blob-store.ts'
import { BoundedCache } from '../cache/bounded-cache.ts'
import type { ReplyBody } from './reply.ts'

const MiB = 1024 ** 2

export interface ContentLimits {
  totalBytes: number
  bytesPerFile: number
}

export const defaultContentLimits: ContentLimits = { totalBytes: 64 * MiB, bytesPerFile: MiB / 2 }

/** Latin-1 strings hold one byte a character: node sends headers and a short string in one write, a buffer in two. */
export type Content = string | Buffer

const longestString = 15 * 1024

/** The contents of small files in memory. Content is addressed by its digest, so it never goes out of date. */
export class ContentCache {
  readonly #blobs: Pick<BlobStore, 'read'>
  readonly #limits: ContentLimits
  readonly #contents: BoundedCache<Content>
  readonly #reading = new Map<string, Promise<Content>>()

  constructor(blobs: Pick<BlobStore, 'read'>, limits: ContentLimits = defaultContentLimits) {
    this.#blobs = blobs
    this.#limits = limits
    this.#contents = new BoundedCache(limits.totalBytes)
  }

  get bytes(): number {
    return this.#contents.weight
  }

  takes(size: number): boolean {
    return size <= this.#limits.bytesPerFile
  }

  get(id: string): Content | undefined {
    return this.#contents.get(id)
  }

  /** Those who ask while the first read is under way share it. */
  load(id: string, key: BlobKey, size: number): Promise<Content> {
    const reading = this.#reading.get(id)
    if (reading !== undefined) return reading
    const read = this.#read(id, key, size).finally(() => this.#reading.delete(id))
    this.#reading.set(id, read)
    return read
  }

  async #read(id: string, key: BlobKey, size: number): Promise<Content> {
    const bytes = await this.#blobs.read(key)
    if (bytes.length !== size) throw new Error(`${id} has ${bytes.length} bytes where ${size} were published`)
    const content = size <= longestString ? bytes.toString('latin1') : bytes
    this.#contents.set(id, content, size)
    return content
  }
}

export type BlobBody = Extract<ReplyBody, { kind: 'blob' }>

/** The bytes of a body if they are in memory, null if they must be read first. */
export function cachedContent(body: ReplyBody, contents: ContentCache): Content | Uint8Array | null {
  switch (body.kind) {
    case 'none':
      return ''
    case 'bytes':
      return body.bytes
    case 'blob': {
      const content = contents.get(body.id)
      return content === undefined ? null : sliceContent(content, body)
    }
  }
}

export function sliceContent(content: Content, { range }: BlobBody): Content {
  if (range === null) return content
  const end = range.end + 1
  return typeof content === 'string' ? content.slice(range.start, end) : content.subarray(range.start, end)
}
