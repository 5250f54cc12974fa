import { type FileHandle, open, rename, writeFile } from 'node:fs/promises'
import { singleFlight } from '../../kernel/single-flight.ts'

const recordBytes = 8

/**
 * How many bytes the cache has, known to all processes without looking through it: a file of numbers, to which each
 * process appends what it added and reads what others did. The first is the sum when somebody last looked.
 */
export class Ledger {
  readonly #path: string
  #inode = 0
  #read = 0
  #total = 0
  #pending = 0
  readonly #flush = singleFlight((_: 'flush') => this.#append())

  constructor(path: string) {
    this.#path = path
  }

  /** As far as this process knows. */
  get known(): number {
    return this.#total
  }

  /** Returns the sum, including this. */
  async add(bytes: number): Promise<number> {
    this.#pending += bytes
    do await this.#flush('flush')
    while (this.#pending !== 0)
    return this.#total
  }

  async replace(total: number, temporary: string): Promise<void> {
    await writeFile(temporary, record(total), { mode: 0o600 })
    await rename(temporary, this.#path)
  }

  async #append(): Promise<void> {
    const bytes = this.#pending
    this.#pending = 0
    const file = await open(this.#path, 'a+', 0o600)
    try {
      await file.write(record(bytes))
      await this.#readFrom(file)
    } finally {
      await file.close()
    }
  }

  async #readFrom(file: FileHandle): Promise<void> {
    const { ino, size } = await file.stat()
    if (ino !== this.#inode || size < this.#read) {
      this.#inode = ino
      this.#read = 0
      this.#total = 0
    }
    const whole = size - (size % recordBytes)
    if (whole <= this.#read) return
    const records = Buffer.alloc(whole - this.#read)
    await file.read(records, 0, records.length, this.#read)
    for (let at = 0; at < records.length; at += recordBytes) this.#total += records.readDoubleLE(at)
    this.#read = whole
  }
}

function record(bytes: number): Buffer {
  const content = Buffer.alloc(recordBytes)
  content.writeDoubleLE(bytes)
  return content
}
