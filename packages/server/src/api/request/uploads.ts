import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { ArchiveFormat } from '../../deployments/archive/archive.ts'
import { ArrivingBytes, type ArrivingUpload } from '../../deployments/upload/arriving-bytes.ts'
import { FairSemaphore } from '../../kernel/fair-queue.ts'
import { Problem } from '../../kernel/problem.ts'

/** Media types that clients use for archives. */
export const archiveTypes = {
  'application/gzip': 'tar.gz',
  'application/x-gzip': 'tar.gz',
  'application/x-tar+gzip': 'tar.gz',
  'application/x-tar': 'tar',
  'application/zip': 'zip',
  'application/x-zip-compressed': 'zip',
} as const

export function archiveFormat(contentType: string | undefined): ArchiveFormat {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? ''
  const format = archiveTypes[type as keyof typeof archiveTypes]
  if (format !== undefined) return format
  throw new Problem(
    'unsupported_media_type',
    'Send a tar.gz as application/gzip, a tar as application/x-tar, a zip as application/zip, or a list of files as application/json.',
  )
}

/** Each upload keeps a file and a connection open. */
const maxUploads = 128
/** In seconds. */
const retryAfter = 2

/**
 * Limits simultaneous uploads and what they have on the disk, with a share per account, so that no account can keep
 * others from publishing.
 */
export class UploadLimiter {
  readonly #running: FairSemaphore
  readonly #arriving: ArrivingBytes

  constructor(bytesPerAccount: number, size = maxUploads) {
    this.#running = new FairSemaphore(size)
    this.#arriving = new ArrivingBytes(bytesPerAccount)
  }

  async run<T>(accountId: string, upload: (arriving: ArrivingUpload) => Promise<T>): Promise<T> {
    if (!this.#running.tryAcquire(accountId)) {
      const headers = { 'Retry-After': String(retryAfter) }
      throw new Problem('too_many_uploads', 'This account has too many uploads running.', {
        headers,
      })
    }
    const arriving = this.#arriving.of(accountId)
    try {
      return await upload(arriving)
    } finally {
      arriving.giveBack()
      this.#running.release(accountId)
    }
  }
}

/** Identifies the content of an upload. */
export interface UploadDigest {
  length: number
  sha256: string
}

/** How much we read after the end of an archive. */
const maxTrailingBytes = 16 * 1024 ** 2
const leaveOpen = { destroyOnReturn: false }

/** Hashes a body while it is read, to compare it with another without keeping either. */
export class HashedUpload {
  readonly #body: Readable
  readonly #hash = createHash('sha256')
  #length = 0

  constructor(body: Readable) {
    this.#body = body
  }

  async *iterator(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#body.iterator(leaveOpen)) {
      this.#hash.update(chunk)
      this.#length += chunk.length
      yield chunk
    }
  }

  /** Call after the upload: its digest, or null if far too much was left unread. */
  async content(): Promise<UploadDigest | null> {
    const maxLength = this.#length + maxTrailingBytes
    for await (const _ of this.iterator()) if (this.#length > maxLength) return null
    return { length: this.#length, sha256: this.#hash.digest('base64url') }
  }

  /**
   * Call instead of the upload. Reads no more than the other upload's length. `announced` is the Content-Length, or
   * NaN.
   */
  async equals({ length, sha256 }: UploadDigest, announced: number): Promise<boolean> {
    if (Number.isFinite(announced) && announced !== length) return false
    for await (const _ of this.iterator()) if (this.#length > length) return false
    return this.#length === length && this.#hash.digest('base64url') === sha256
  }
}
