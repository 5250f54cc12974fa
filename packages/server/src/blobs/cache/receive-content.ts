import { createHash } from 'node:crypto'
import { type BlobKey, BlobsUnavailableError, type RemoteBlobStore } from '../blob-store.ts'

/** What the store sent is not what was stored. */
class DamagedContentError extends Error {
  override readonly name = 'DamagedContentError'
}

/** The cache cannot be written to. */
export class CacheDiskError extends Error {
  override readonly name = 'CacheDiskError'
}

export interface ReceiveLimits {
  /** How long the store may send nothing. */
  stallMs: number
  /** What it must send on average, once that time has passed. */
  minBytesPerSecond: number
}

export interface ReceivedContent {
  sha256: string
  size: number
}

export interface ContentReceiver<T extends ReceivedContent> {
  /** The content has at most `size` bytes, and may fail. */
  write(content: AsyncIterable<Uint8Array>, size: number): Promise<T>
  /** Called with what was written, if it is not what it should be. */
  discard?(written: T): Promise<void>
  onBytes(count: number): void
  onDamaged(error: DamagedContentError): void
}

/** Receives content and checks its size and digest. If they are wrong, tries once more. Null if there is none. */
export async function receiveContent<T extends ReceivedContent>(
  origin: Pick<RemoteBlobStore, 'fetch'>,
  key: BlobKey,
  receiver: ContentReceiver<T>,
  limits: ReceiveLimits,
): Promise<T | null> {
  try {
    return await receiveOnce(origin, key, receiver, limits)
  } catch (error) {
    if (!(error instanceof DamagedContentError)) throw error
    receiver.onDamaged(error)
    return receiveOnce(origin, key, receiver, limits)
  }
}

async function receiveOnce<T extends ReceivedContent>(
  origin: Pick<RemoteBlobStore, 'fetch'>,
  key: BlobKey,
  receiver: ContentReceiver<T>,
  limits: ReceiveLimits,
): Promise<T | null> {
  const watch = new StallWatch(limits)
  try {
    const remote = await watch.orStalled(origin.fetch(key, watch.signal))
    if (remote === null) return null
    const { size, sha256 } = remote
    const digest = key.encoding === undefined ? key.sha256 : sha256
    const source = new WatchedSource(remote.content, size, watch, receiver.onBytes)
    const written = await receiver.write(source, size).catch((error: unknown) => {
      throw source.failure ?? new CacheDiskError('The cache cannot be written to', { cause: error })
    })
    if (written.size === size && written.sha256 === digest) return written
    await receiver.discard?.(written)
    throw new DamagedContentError(
      `${key.sha256} arrived as ${written.size} bytes with the digest ${written.sha256} instead of ${size} bytes with ${digest}`,
    )
  } finally {
    watch.end()
  }
}

/** Into memory, for when there is no room on the disk. */
export async function collectContent(
  content: AsyncIterable<Uint8Array>,
): Promise<ReceivedContent & { bytes: Buffer }> {
  const hash = createHash('sha256')
  const chunks: Uint8Array[] = []
  for await (const chunk of content) {
    hash.update(chunk)
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  return { bytes, size: bytes.length, sha256: hash.digest('hex') }
}

/** Notices a store that sends nothing, or next to nothing, even one that does not react to the signal. */
class StallWatch {
  readonly #limits: ReceiveLimits
  readonly #stop = new AbortController()
  readonly #stalled = Promise.withResolvers<never>()
  readonly #timer: NodeJS.Timeout
  readonly #startedAt = performance.now()
  #heardAt = performance.now()
  #bytes = 0

  constructor(limits: ReceiveLimits) {
    this.#limits = limits
    this.#timer = setInterval(() => this.#check(), Math.min(250, limits.stallMs / 4))
    this.#stalled.promise.catch(() => {})
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  heard(bytes: number): void {
    this.#heardAt = performance.now()
    this.#bytes += bytes
  }

  orStalled<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#stalled.promise])
  }

  /** The store need not send what is left. */
  end(): void {
    clearInterval(this.#timer)
    this.#stop.abort()
  }

  #check(): void {
    const { stallMs, minBytesPerSecond } = this.#limits
    const now = performance.now()
    const expected = ((now - this.#startedAt - stallMs) / 1000) * minBytesPerSecond
    if (now - this.#heardAt < stallMs && this.#bytes >= expected) return
    const error = new BlobsUnavailableError('The store of files does not send what it was asked for')
    this.#stalled.reject(error)
    this.#stop.abort(error)
  }
}

/** Tells failures of the store from those of the writer. */
class WatchedSource implements AsyncIterable<Uint8Array> {
  readonly #content: AsyncIterable<Uint8Array>
  readonly #size: number
  readonly #watch: StallWatch
  readonly #onBytes: (count: number) => void
  failure: unknown = null

  constructor(
    content: AsyncIterable<Uint8Array>,
    size: number,
    watch: StallWatch,
    onBytes: (count: number) => void,
  ) {
    this.#content = content
    this.#size = size
    this.#watch = watch
    this.#onBytes = onBytes
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    const source = this.#content[Symbol.asyncIterator]()
    let received = 0
    try {
      for (let next = await this.#next(source); next !== null; next = await this.#next(source)) {
        received += next.byteLength
        this.#watch.heard(next.byteLength)
        this.#onBytes(next.byteLength)
        if (received > this.#size) {
          this.failure = new DamagedContentError(`More than the announced ${this.#size} bytes arrived`)
          throw this.failure
        }
        yield next
      }
    } finally {
      // Not awaited: a store that hangs would not end this either.
      source.return?.().catch(() => {})
    }
  }

  async #next(source: AsyncIterator<Uint8Array>): Promise<Uint8Array | null> {
    try {
      const next = await this.#watch.orStalled(source.next())
      return next.done === true ? null : next.value
    } catch (error) {
      this.failure = error
      throw error
    }
  }
}
