import {
  type HeadFault,
  hasStrayByte,
  type RequestHead,
  readRequestHead,
  readRequestLine,
} from './request-head.ts'

const lineEnd = '\r\n'
const emptyLine = '\r\n\r\n'

/** Finds request heads in what a client sends, however it is cut. One character per byte. */
export class HeadReader {
  readonly #maxHeaderSize: number
  #text = ''
  /** How much of an incomplete head was checked. */
  #checked = 0
  #headLength = 0

  constructor(maxHeaderSize: number) {
    this.#maxHeaderSize = maxHeaderSize
  }

  /** Everything from the first head that was not consumed. */
  get unread(): string {
    return this.#text
  }

  add(chunk: Buffer): void {
    const text = chunk.toString('latin1')
    this.#text = this.#text === '' ? text : this.#text + text
  }

  /** The next head, or the status that refuses it. Null if it is incomplete and may still become valid. */
  next(from: () => string | undefined): RequestHead | HeadFault | 431 | null {
    // RFC 9112, 2.2: empty lines before a request are ignored.
    while (this.#text.startsWith(lineEnd)) this.#drop(lineEnd.length)
    const text = this.#text
    const found = text.indexOf(emptyLine, Math.max(0, this.#checked - emptyLine.length))
    const end = found === -1 ? text.length : found + emptyLine.length
    if (end > this.#maxHeaderSize) return 431
    if (found === -1) return this.#checkIncomplete(text)
    this.#headLength = end
    return readRequestHead(text, end, from)
  }

  /** Drops the head that `next` returned last. */
  consume(): void {
    this.#drop(this.#headLength)
  }

  #checkIncomplete(text: string): HeadFault | null {
    const from = Math.max(0, this.#checked - 1)
    this.#checked = text.length
    if (hasStrayByte(text, from)) return 400
    const end = text.indexOf(lineEnd)
    const line = end >= from ? readRequestLine(text, end) : null
    return typeof line === 'number' ? line : null
  }

  #drop(length: number): void {
    this.#text = this.#text.slice(length)
    this.#checked = 0
  }
}
