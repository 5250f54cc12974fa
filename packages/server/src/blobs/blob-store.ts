import type { Readable } from 'node:stream'

/**
 * Where file contents live. Every account has a space of its own: equal files of one account are stored once,
 * and nobody can find out, or obtain, what another account has by naming a digest.
 */
export interface BlobKey {
  accountId: string
  sha256: string
  /** Absent: the plain content. */
  encoding?: 'br' | 'zstd' | 'gzip' | undefined
}

/** Content that is written and durable, but not yet in its place. */
export interface StagedBlob {
  readonly sha256: string
  readonly size: number
  /**
   * Moves it to its place, replacing an equal file if there is one. Atomic. A compressed form names the digest of
   * its plain content; plain content has its own.
   */
  commit(place: { accountId: string } | Required<BlobKey>): Promise<void>
  /** Removes it. Harmless after commit. */
  discard(): Promise<void>
}

export interface BlobStore {
  /** Streams `source` to disk and hashes it. Stops with a Problem `file_too_large` past `maxBytes`. */
  stage(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, maxBytes: number): Promise<StagedBlob>
  read(key: BlobKey): Promise<Buffer>
  /** Bytes `start` to `end`, both inclusive; the whole by default. */
  open(key: BlobKey, range?: { start: number; end: number }): Readable
  has(key: BlobKey): Promise<boolean>
  remove(key: BlobKey): Promise<void>

  /** Small named documents (a deployment's manifest), replaced atomically. Names: `[a-z0-9_-]+(/[a-z0-9_.-]+)*`. */
  writeDocument(name: string, content: Uint8Array): Promise<void>
  readDocument(name: string): Promise<Buffer | null>
  removeDocument(name: string): Promise<void>
}

// Account folders begin with `acc_`, so none of them can be taken for `staging` or `documents`.
const accountPattern = /^acc_[0-9a-z]{1,64}$/
const digestPattern = /^[0-9a-f]{64}$/
const documentPattern = /^[a-z0-9_-]+(\/(?!\.{1,2}(\/|$))[a-z0-9_.-]+)*$/

const endings = { br: '.br', zstd: '.zst', gzip: '.gz' } as const

/** Where a blob lies below the folder of the store. Throws for anything that is not an id and a digest. */
export function blobPath({ accountId, sha256, encoding }: BlobKey): string {
  if (!accountPattern.test(accountId)) throw new TypeError(`not an account id: ${JSON.stringify(accountId)}`)
  if (!digestPattern.test(sha256)) throw new TypeError(`not a SHA-256: ${JSON.stringify(sha256)}`)
  return `${accountId}/${sha256.slice(0, 2)}/${sha256}${encoding ? endings[encoding] : ''}`
}

export function documentPath(name: string): string {
  if (!documentPattern.test(name)) throw new TypeError(`not a document name: ${JSON.stringify(name)}`)
  return `documents/${name}`
}
