import { second } from '../../kernel/clock.ts'
import { TimeoutError, withTimeout } from '../../kernel/with-timeout.ts'
import { type BlobStore, BlobsUnavailableError } from '../blob-store.ts'
import { writeDurably } from '../files/write-durably.ts'
import type { CacheFolder } from './cache-folder.ts'
import type { CacheRoom } from './cache-room.ts'
import type { CacheLog } from './cache-stats.ts'

/** When there is a copy: an edge gives up loading a site after three seconds. */
const defaultAnswerMs = 2 * second
/** When there is none. */
const patience = 5
/** How long copies are used without asking, after the store was away. */
const awayMs = second

export interface CachedDocumentsParts {
  origin: Pick<BlobStore, 'readDocument'>
  folder: CacheFolder
  room: CacheRoom
  log: CacheLog
  answerMs?: number | undefined
}

/**
 * Documents may be replaced, so the store is asked first, and its last answer is used only while it is away. The files
 * that a manifest lists never change, only their compressed forms are added: an older manifest is right too.
 */
export class CachedDocuments {
  readonly #parts: CachedDocumentsParts
  #awayUntil = Number.NEGATIVE_INFINITY

  constructor(parts: CachedDocumentsParts) {
    this.#parts = parts
  }

  async read(name: string): Promise<Buffer | null> {
    const { origin, answerMs = defaultAnswerMs } = this.#parts
    if (performance.now() < this.#awayUntil) {
      const copy = await this.#copyOf(name)
      if (copy !== null) return copy
    }
    const answer = origin.readDocument(name)
    try {
      return await this.#keep(name, await withTimeout(answer, answerMs))
    } catch (error) {
      if (!(error instanceof BlobsUnavailableError || error instanceof TimeoutError)) throw error
      this.#awayUntil = performance.now() + awayMs
      const copy = await this.#copyOf(name)
      if (copy !== null) return copy
      if (error instanceof BlobsUnavailableError) throw error
    }
    const late = withTimeout(answer, patience * answerMs).catch((error: unknown) => {
      if (!(error instanceof TimeoutError)) throw error
      throw new BlobsUnavailableError('The store of files does not answer in time', { cause: error })
    })
    return this.#keep(name, await late)
  }

  async remove(name: string): Promise<void> {
    await this.#parts.folder.remove(this.#parts.folder.documentPath(name))
  }

  #copyOf(name: string): Promise<Buffer | null> {
    return this.#parts.folder.read(this.#parts.folder.documentPath(name)).catch(() => null)
  }

  /** A document that cannot be kept is still an answer. */
  async #keep(name: string, content: Buffer | null): Promise<Buffer | null> {
    this.#awayUntil = Number.NEGATIVE_INFINITY
    const { folder, room, log } = this.#parts
    const path = folder.documentPath(name)
    try {
      if (content === null) await folder.remove(path)
      else if (room.accepts(content.length) && (await folder.read(path))?.equals(content) !== true) {
        const temporary = folder.temporaryPath()
        await writeDurably(temporary, [content])
        await room.publish(temporary, path, content.length)
      }
    } catch (error) {
      log.warn({ err: error, document: name }, 'a document could not be kept in the cache')
    }
    return content
  }
}
