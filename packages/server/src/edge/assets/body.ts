import { type BlobFile, type BlobStore, BlobsUnavailableError } from '../../blobs/blob-store.ts'
import { type FairQueue, QueueFullError } from '../../kernel/fair-queue.ts'
import { type BlobBody, type ContentCache, sliceContent } from './content-cache.ts'
import type { ReplyBody } from './reply.ts'

/** The bytes of a reply. */
export interface Body {
  readonly length: number
  /** All of them, if they are in memory. */
  readonly bytes: Buffer | null
  /** Fills `into` with the bytes from `start`. One read at a time. Rejects if the file is missing or too short. */
  read(start: number, into: Buffer): Promise<void>
  /** The same for several, one after the other. Omitted by bodies in memory. */
  readParts?(start: number, into: readonly Buffer[]): Promise<void>
  /** Closes the file while the client does not read. The next read opens it again. */
  rest(): void
  close(): void
}

export interface BodyParts {
  blobs: Pick<BlobStore, 'openFile' | 'prepare'>
  contents: ContentCache
  /** Bounds the open files, of which each caller has a share. */
  openFiles: FairQueue
}

/** Whether a failure to open or read a body is no fault to log: too much at once, or a store that is away. */
export function isTemporary(error: unknown): boolean {
  return error instanceof QueueFullError || error instanceof BlobsUnavailableError
}

const nothing = Buffer.alloc(0)

/** A value, not a promise, if the bytes are in memory. A null caller is a trusted proxy. */
export function openBody(
  body: ReplyBody,
  caller: string | null,
  { blobs, contents, openFiles }: BodyParts,
): Body | Promise<Body> {
  switch (body.kind) {
    case 'none':
      return new MemoryBody(nothing)
    case 'bytes':
      return new MemoryBody(body.bytes)
    case 'blob': {
      const content = contents.get(body.id)
      if (content !== undefined) return new MemoryBody(sliceContent(content, body))
      if (!contents.accepts(body.size)) {
        const file = new FileBody(body, caller, { blobs, openFiles })
        // Before it takes part in anything that is limited: it may be long until the content is here.
        return blobs.prepare?.(body.key, body.size)?.then(() => file) ?? file
      }
      return contents
        .load(body.id, body.key, body.size)
        .then((loaded) => new MemoryBody(sliceContent(loaded, body)))
    }
  }
}

class MemoryBody implements Body {
  readonly length: number
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.length = bytes.length
    this.bytes = bytes
  }

  async read(start: number, into: Buffer): Promise<void> {
    this.bytes.copy(into, 0, start)
  }

  rest(): void {}

  close(): void {}
}

/** A file that is too large for memory. It is open, and counts as such, only while the client reads. */
class FileBody implements Body {
  readonly length: number
  readonly bytes = null
  readonly #body: BlobBody
  readonly #caller: string | null
  readonly #parts: Pick<BodyParts, 'blobs' | 'openFiles'>
  #opened: OpenFile | null = null
  #isReading = false
  /** Whether to close the file when the read in progress ends. */
  #isUnused = false

  constructor(body: BlobBody, caller: string | null, parts: Pick<BodyParts, 'blobs' | 'openFiles'>) {
    const { range, size } = body
    this.length = range === null ? size : range.end - range.start + 1
    this.#body = body
    this.#caller = caller
    this.#parts = parts
  }

  read(start: number, into: Buffer): Promise<void> {
    return this.#read(into.length, (file) => file.read(this.#offset + start, into))
  }

  readParts(start: number, into: readonly Buffer[]): Promise<void> {
    const length = into.reduce((sum, part) => sum + part.length, 0)
    return this.#read(length, (file) => readPartsOf(file, this.#offset + start, into))
  }

  get #offset(): number {
    return this.#body.range?.start ?? 0
  }

  async #read(length: number, readFrom: (file: BlobFile) => Promise<number>): Promise<void> {
    this.#isReading = true
    this.#isUnused = false
    try {
      this.#opened ??= this.#open()
      if ((await readFrom(await this.#opened.file)) !== length) throw new Error(`${this.#body.id} ends early`)
    } catch (error) {
      this.#isUnused = true
      throw error
    } finally {
      this.#isReading = false
      if (this.#isUnused) this.rest()
    }
  }

  rest(): void {
    this.#isUnused = true
    if (this.#isReading) return
    this.#opened?.close()
    this.#opened = null
  }

  close(): void {
    this.rest()
  }

  #open(): OpenFile {
    const file = Promise.withResolvers<BlobFile>()
    const closed = Promise.withResolvers<void>()
    this.#parts.openFiles
      .run(this.#caller, async () => {
        // The client may have left while this waited for its turn.
        if (this.#isUnused) throw new Error('nobody reads it any more')
        const opened = await this.#parts.blobs.openFile(this.#body.key, this.#body.size)
        file.resolve(opened)
        await closed.promise
        await opened.close()
      })
      .catch(file.reject)
    return { file: file.promise, close: closed.resolve }
  }
}

async function readPartsOf(file: BlobFile, start: number, into: readonly Buffer[]): Promise<number> {
  if (file.readParts !== undefined) return file.readParts(start, into)
  let length = 0
  for (const part of into) length += await file.read(start + length, part)
  return length
}

interface OpenFile {
  file: Promise<BlobFile>
  close: () => void
}
