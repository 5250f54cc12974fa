import type { ProxyFields } from '../accept/forwarded.ts'
import { hasStrayByte } from './grammar.ts'
import type { Fields } from './header-section.ts'
import { RecentSections } from './recent-sections.ts'
import { type HeadFault, type RequestHead, readRequestHead, readRequestLine } from './request-head.ts'

const [cr, lf] = [13, 10]
const lineEnd = '\r\n'
const emptyLine = Buffer.from('\r\n\r\n')
const nothing: Buffer = Buffer.alloc(0)

/** What most requests fit in. New memory for each of them would cost more than copying it. */
const memorySize = 2 * 1024
const maxSpare = 256
const spare: Memory[] = []

class Memory {
  readonly bytes: Buffer
  readonly view: DataView

  constructor(bytes: Buffer) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }
}

const noMemory = new Memory(nothing)

function takeMemory(length: number): Memory {
  if (length > memorySize) return new Memory(Buffer.allocUnsafe(length))
  return spare.pop() ?? new Memory(Buffer.allocUnsafeSlow(memorySize))
}

function releaseMemory(memory: Memory): void {
  if (memory.bytes.length === memorySize && spare.length < maxSpare) spare.push(memory)
}

/** Finds request heads in what a client sends, however it is cut. */
export class HeadReader {
  readonly #maxHeaderSize: number
  readonly #proxy: () => ProxyFields | null
  readonly #recent = new RecentSections<Fields>()
  /** What is not consumed is here, from `#start` to `#end`. */
  #memory = noMemory
  #start = 0
  #end = 0
  /** How much of an incomplete head was checked. */
  #checked = 0
  /** Of the head that was read last. What is held moves while its answer is waited for, so this is no position. */
  #headLength = 0

  /** `proxy`: how the proxy at the other end tells about visitors; null for anybody else. */
  constructor(maxHeaderSize: number, proxy: () => ProxyFields | null = () => null) {
    this.#maxHeaderSize = maxHeaderSize
    this.#proxy = proxy
  }

  get isEmpty(): boolean {
    return this.#start === this.#end
  }

  get length(): number {
    return this.#end - this.#start
  }

  /** Everything from the first head that was not consumed. */
  get unread(): Buffer {
    return this.#memory.bytes.subarray(this.#start, this.#end)
  }

  /** Copies the bytes. */
  add(bytes: Buffer, length: number): void {
    if (this.#memory.bytes.length - this.#end < length) this.#grow(length)
    bytes.copy(this.#memory.bytes, this.#end, 0, length)
    this.#end += length
  }

  /** The next head, or the status that refuses it. Null if it is incomplete and may still become valid. */
  next(from: () => string | undefined): RequestHead | HeadFault | 431 | null {
    const { bytes } = this.#memory
    // RFC 9112, 2.2: empty lines before a request are ignored.
    while (bytes[this.#start] === cr && this.#start + 1 < this.#end && bytes[this.#start + 1] === lf) {
      this.#start += lineEnd.length
      this.#checked = 0
    }
    if (this.#checked === 0) {
      const head = this.#read(this.#end, from)
      if (typeof head !== 'number') return head.end - this.#start > this.#maxHeaderSize ? 431 : head
    }
    return this.#nextOrWait(from)
  }

  /** A malformed head is refused only once it is complete, since what is missing decides between refusals. */
  #nextOrWait(from: () => string | undefined): RequestHead | HeadFault | 431 | null {
    const start = this.#start + Math.max(0, this.#checked - emptyLine.length)
    const found = this.#memory.bytes.indexOf(emptyLine, start)
    const isFound = found !== -1 && found + emptyLine.length <= this.#end
    const end = isFound ? found + emptyLine.length : this.#end
    if (end - this.#start > this.#maxHeaderSize) return 431
    return isFound ? this.#read(end, from) : this.#checkIncomplete()
  }

  #read(end: number, from: () => string | undefined): RequestHead | HeadFault {
    const { bytes, view } = this.#memory
    const head = readRequestHead(bytes, view, this.#start, end, from, this.#proxy(), this.#recent)
    if (typeof head !== 'number') this.#headLength = head.end - this.#start
    return head
  }

  /** Drops the head that `next` returned last. */
  consume(): void {
    this.#start += this.#headLength
    this.#checked = 0
    // So that idle connections hold nothing.
    if (this.isEmpty) this.#hold(noMemory, 0)
  }

  /** To be called while the connection is idle, and when it ends. */
  forget(): void {
    this.#recent.forget()
  }

  #checkIncomplete(): HeadFault | null {
    const text = this.unread.toString('latin1')
    const from = Math.max(0, this.#checked - 1)
    this.#checked = text.length
    if (hasStrayByte(text, from)) return 400
    const end = text.indexOf(lineEnd)
    const line = end >= from ? readRequestLine(this.#memory.bytes, this.#start, this.#start + end) : null
    return typeof line === 'number' ? line : null
  }

  #grow(by: number): void {
    const memory = takeMemory(this.isEmpty ? by : 2 * (this.length + by))
    this.#hold(memory, this.#memory.bytes.copy(memory.bytes, 0, this.#start, this.#end))
  }

  #hold(memory: Memory, length: number): void {
    releaseMemory(this.#memory)
    this.#memory = memory
    this.#start = 0
    this.#end = length
  }
}
