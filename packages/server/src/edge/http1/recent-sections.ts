/** What those of one connection may take together. */
const memorySize = 4 * 1024
const maxSections = 8
/** Connections that have such memory: together 8 MiB. All others do without. */
const maxInUse = 2_048
/** So many in a row that were not known: this client's are different every time, as those of a proxy are. */
const maxMisses = 16

const wordLength = 4
const lineEnd = '\r\n'

const spare: Buffer[] = []
let inUse = 0

function takeMemory(): Buffer | null {
  if (inUse === maxInUse) return null
  inUse++
  return spare.pop() ?? Buffer.allocUnsafeSlow(memorySize)
}

export interface Section<T> {
  readonly start: number
  readonly length: number
  readonly lastWord: number
  readonly value: T
}

/**
 * The header sections that a client has sent lately on one connection, with what they were read as. Browsers repeat
 * them, at times with a few lines more at the end. To be forgotten while the client is idle: they have its cookies.
 */
export class RecentSections<T> {
  #memory: Buffer | null = null
  #used = 0
  #sections: Section<T>[] = []
  #isFirst = true
  #misses = 0

  /** One that begins at `start`, without its empty line. It may go on with more lines. `view` is of the same bytes. */
  find(bytes: Buffer, view: DataView, start: number, end: number): Section<T> | null {
    const memory = this.#memory
    if (memory === null) return null
    for (const section of this.#sections) {
      const sectionEnd = start + section.length
      if (sectionEnd + lineEnd.length > end) continue
      if (view.getInt32(sectionEnd - wordLength, true) !== section.lastWord) continue
      const { start: from, length } = section
      if (bytes.compare(memory, from, from + length, start, sectionEnd) !== 0) continue
      this.#misses = 0
      return section
    }
    return null
  }

  /** Copies the bytes. Not of the first section: many clients send only one. */
  keep(value: T, bytes: Buffer, view: DataView, start: number, end: number): void {
    if (this.#isFirst) {
      this.#isFirst = false
      return
    }
    if (this.#misses === maxMisses) {
      this.forget()
      return
    }
    this.#misses++
    const length = end - start
    if (length < wordLength || length > memorySize) return
    if (this.#used + length > memorySize || this.#sections.length === maxSections) this.forget()
    this.#memory ??= takeMemory()
    if (this.#memory === null) return
    bytes.copy(this.#memory, this.#used, start, end)
    const lastWord = view.getInt32(end - wordLength, true)
    this.#sections.push({ start: this.#used, length, lastWord, value })
    this.#used += length
  }

  forget(): void {
    if (this.#memory === null) return
    this.#memory.fill(0, 0, this.#used)
    spare.push(this.#memory)
    inUse--
    this.#memory = null
    this.#used = 0
    this.#sections = []
  }
}
