const maxBytes = 512 * 1024
const maxFiles = 256

export interface BatchedContent {
  sha256: string
  start: number
  size: number
}

/** Small contents side by side in one buffer, to be written together. */
export class ContentBatch {
  readonly contents: BatchedContent[] = []
  #bytes = new Uint8Array(0)
  #size = 0

  /** Hand it on, or do not keep it. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes
  }

  hasRoomFor(size: number): boolean {
    return this.contents.length < maxFiles && this.#size + size <= maxBytes
  }

  /** Copies the content. */
  add(sha256: string, content: Uint8Array): void {
    const start = this.#size
    this.#size += content.byteLength
    if (this.#size > this.#bytes.byteLength) this.#grow()
    this.#bytes.set(content, start)
    this.contents.push({ sha256, start, size: content.byteLength })
  }

  /** Uses the same buffer. */
  without(digests: ReadonlySet<string>): ContentBatch {
    const rest = new ContentBatch()
    rest.#bytes = this.#bytes
    rest.#size = this.#size
    rest.contents.push(...this.contents.filter(({ sha256 }) => !digests.has(sha256)))
    return rest
  }

  contentOf({ start, size }: BatchedContent): Uint8Array {
    return this.#bytes.subarray(start, start + size)
  }

  /** An upload of a few files needs little, one of many soon gets all at once. */
  #grow(): void {
    const larger = new Uint8Array(Math.max(this.#size, this.#bytes.byteLength === 0 ? 64 * 1024 : maxBytes))
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}
