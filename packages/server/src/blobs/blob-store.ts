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
