import type { ContentBatch } from './content-batch.ts'

/**
 * Every account has its own space: equal files of one account are stored once, and nobody can detect or obtain files of
 * another account by naming a digest.
 */
export interface BlobKey {
  accountId: string
  sha256: string
  /** Omitted for uncompressed content. */
  encoding?: 'br' | 'zstd' | 'gzip' | undefined
}

export type CommitKey = { accountId: string } | Required<BlobKey>

/** Content that is on disk but not committed yet. */
export interface StagedBlob {
  readonly sha256: string
  readonly size: number
  /**
   * Does the slow part of `commit` with the same key, if there is one. Call it before a transaction that commits, and
   * only while the sweep leaves the account alone: what is sent counts as stored.
   */
  send(key: CommitKey): Promise<void>
  /**
   * Moves it to its final path, replacing an equal file if there is one. Atomic. A compressed form is stored under the
   * digest of its uncompressed content.
   */
  commit(key: CommitKey): Promise<void>
  /** Does nothing after `commit`. */
  discard(): Promise<void>
}

/** An open file, to be read in any order. */
export interface BlobFile {
  /** Fills `into` with the bytes from `start`. Returns how many there were: fewer at the end of the file. */
  read(start: number, into: Buffer): Promise<number>
  /** Fills several, one after the other, at once. Omitted if they can only be filled one by one. */
  readParts?(start: number, into: readonly Buffer[]): Promise<number>
  close(): Promise<void>
}

export interface BlobStore {
  /** Streams `source` to disk and hashes it. Throws the Problem `file_too_large` beyond `maxBytes`. */
  stage(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, maxBytes: number): Promise<StagedBlob>
  /**
   * The same content. Throws an error that `isStorageFull` once it would take what uploads leave of a disk for the rest
   * of the server. Omitted if content is only passed on from there.
   */
  whileSpaceIsLeft?(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncIterable<Uint8Array>
  /** Stages small contents together, all or none: far faster than one by one. The batch cannot be used afterwards. */
  stageAll(batch: ContentBatch): Promise<StagedBlob[]>
  /** The same as `commit` of each. On failure, some may be committed. */
  commitAll(staged: readonly StagedBlob[], accountId: string): Promise<void>
  /** `size` is what the content should have: a copy of another size is not used. */
  read(key: BlobKey, size?: number): Promise<Buffer>
  openFile(key: BlobKey, size?: number): Promise<BlobFile>
  /**
   * Resolves when `openFile` need not wait for another machine. Undefined if it need not now, omitted if it never
   * does.
   */
  prepare?(key: BlobKey, size?: number): Promise<void> | undefined
  has(key: BlobKey): Promise<boolean>
  /** After `withinMs` it has no effect any more, even if its process was killed and the store was slow. */
  remove(key: BlobKey, withinMs?: number): Promise<void>

  /** Small named documents (a deployment's manifest), replaced atomically. Names: `[a-z0-9_-]+(/[a-z0-9_.-]+)*`. */
  writeDocument(name: string, content: Uint8Array): Promise<void>
  readDocument(name: string): Promise<Buffer | null>
  removeDocument(name: string): Promise<void>

  /** Rejects if nothing can be stored now. */
  probe(signal?: AbortSignal): Promise<void>
}

/** Content as it arrives from a store on another machine. */
export interface RemoteBlob {
  size: number
  /** Of the stored bytes, so for a compressed form not the digest in its key. */
  sha256: string
  content: AsyncIterable<Uint8Array>
}

export interface RemoteBlobStore extends BlobStore {
  /** Null if there is none. Throws a `BlobsUnavailableError` if the store cannot say, also while the content arrives. */
  fetch(key: BlobKey, signal?: AbortSignal): Promise<RemoteBlob | null>
}

/** The store cannot be reached, or answers that it cannot do its work now. Trying again later may help. */
export class BlobsUnavailableError extends Error {
  override readonly name = 'BlobsUnavailableError'
}

// Account folders start with `acc_`, so none can be mistaken for `staging` or `documents`.
const accountPattern = /^acc_[0-9a-z]{1,64}$/
const digestPattern = /^[0-9a-f]{64}$/
const documentPattern = /^[a-z0-9_-]+(\/(?!\.{1,2}(\/|$))[a-z0-9_.-]+)*$/

/** Uncompressed content is always stored under its own digest, whatever the key says. */
export function storedKey(key: CommitKey, ownSha256: string): BlobKey {
  const isCompressed = 'encoding' in key && key.encoding !== undefined
  return isCompressed ? key : { accountId: key.accountId, sha256: ownSha256 }
}

const endings = { br: '.br', zstd: '.zst', gzip: '.gz' } as const

/** The path of a blob below the store's folder. Throws unless given an account id and a digest. */
export function blobPath({ accountId, sha256, encoding }: BlobKey): string {
  if (!accountPattern.test(accountId)) throw new TypeError(`not an account id: ${JSON.stringify(accountId)}`)
  if (!digestPattern.test(sha256)) throw new TypeError(`not a SHA-256: ${JSON.stringify(sha256)}`)
  return `${accountId}/${sha256.slice(0, 2)}/${sha256}${encoding ? endings[encoding] : ''}`
}

export function documentPath(name: string): string {
  if (!documentPattern.test(name)) throw new TypeError(`not a document name: ${JSON.stringify(name)}`)
  return `documents/${name}`
}
