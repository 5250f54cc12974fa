import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { FairShare } from '../../kernel/fair-queue.ts'
import { Problem } from '../../kernel/problem.ts'

/** Archives by the names that clients give them. */
export const archiveTypes = {
  'application/gzip': 'tar.gz',
  'application/x-gzip': 'tar.gz',
  'application/x-tar+gzip': 'tar.gz',
  'application/zip': 'zip',
  'application/x-zip-compressed': 'zip',
} as const

export function archiveFormat(contentType: string | undefined): 'tar.gz' | 'zip' {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? ''
  const format = archiveTypes[type as keyof typeof archiveTypes]
  if (format !== undefined) return format
  throw new Problem(
    'unsupported_media_type',
    'Send a tar.gz as application/gzip, a zip as application/zip, or a list of files as application/json.',
  )
}

/** Each holds a file and a connection open for as long as its client takes. */
const most = 128
/** In seconds. */
const retryAfter = 2

/** How many uploads run at once, with a share for each account: nobody keeps others from publishing. */
export class UploadLimiter {
  readonly #share: FairShare

  constructor(places = most) {
    this.#share = new FairShare(places)
  }

  async run<T>(accountId: string, upload: () => Promise<T>): Promise<T> {
    if (!this.#share.enter(accountId)) {
      const headers = { 'Retry-After': String(retryAfter) }
      throw new Problem('too_many_uploads', 'This account has as many uploads running as it may.', {
        headers,
      })
    }
    try {
      return await upload()
    } finally {
      this.#share.leave(accountId)
    }
  }
}

/** What an upload was, to tell whether another is the same. */
export interface UploadDigest {
  length: number
  sha256: string
}

/** What may follow the end of an archive, to be read once it is taken in. */
const longestRest = 16 * 1024 ** 2
const leaveOpen = { destroyOnReturn: false }

/** A body that is hashed while it is read, so that it need not be held to be compared with another. */
export class HashedUpload {
  readonly #body: Readable
  readonly #hash = createHash('sha256')
  #length = 0

  constructor(body: Readable) {
    this.#body = body
  }

  /** As a stream has it. */
  async *iterator(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#body.iterator(leaveOpen)) {
      this.#hash.update(chunk)
      this.#length += chunk.length
      yield chunk
    }
  }

  /** After it was used: what it was, or null where far too much of it was left. */
  async content(): Promise<UploadDigest | null> {
    const most = this.#length + longestRest
    for await (const _ of this.iterator()) if (this.#length > most) return null
    return { length: this.#length, sha256: this.#hash.digest('base64url') }
  }

  /** Instead of a use: reads no more than the other had. `announced` is the Content-Length, if there is one. */
  async equals({ length, sha256 }: UploadDigest, announced: number): Promise<boolean> {
    if (Number.isFinite(announced) && announced !== length) return false
    for await (const _ of this.iterator()) if (this.#length > length) return false
    return this.#length === length && this.#hash.digest('base64url') === sha256
  }
}
