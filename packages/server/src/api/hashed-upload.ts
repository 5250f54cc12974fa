import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'

/** What an upload was, to tell whether another is the same. */
export interface Content {
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
  async content(): Promise<Content | null> {
    const most = this.#length + longestRest
    for await (const _ of this.iterator()) if (this.#length > most) return null
    return { length: this.#length, sha256: this.#hash.digest('base64url') }
  }

  /** Instead of a use: reads no more than the other had. `announced` is the Content-Length, if there is one. */
  async equals({ length, sha256 }: Content, announced: number): Promise<boolean> {
    if (Number.isFinite(announced) && announced !== length) return false
    for await (const _ of this.iterator()) if (this.#length > length) return false
    return this.#length === length && this.#hash.digest('base64url') === sha256
  }
}
