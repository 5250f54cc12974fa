import type { FileProgress } from './progress.ts'
import type { SiteFile } from './site.ts'

/** A file of a site while it is being published. */
export class OutgoingFile implements FileProgress {
  readonly path: string
  readonly #again: SiteFile['again']
  #file: File
  size: number
  state: FileProgress['state'] = 'waiting'
  underWay = 0
  fault: string | null = null
  /** Known once it is hashed. */
  sha256: string | null = null

  constructor({ path, file, again }: SiteFile) {
    this.path = path
    this.#file = file
    this.#again = again
    this.size = file.size
  }

  /** Its content, or null where it cannot be read: then it has failed, and says why. */
  async content(): Promise<Uint8Array<ArrayBuffer> | null> {
    return this.#read(async () => {
      // What failed before may be another file by now.
      if (this.fault !== null) this.#file = await this.#again()
      return new Uint8Array(await this.#file.arrayBuffer())
    })
  }

  /** The file itself, to be sent without being held in memory; null where it cannot be read. */
  async readable(): Promise<File | null> {
    return this.#read(async () => {
      // A browser notices a change only when it reads.
      await this.#file.slice(0, 1).arrayBuffer()
      return this.#file
    })
  }

  async #read<T>(read: () => Promise<T>): Promise<T | null> {
    try {
      return await read()
    } catch {
      this.fail('cannot be read: it was changed, moved or closed to you')
      return null
    }
  }

  fail(fault: string): void {
    this.state = 'failed'
    this.fault = fault
    // It has to be hashed anew before it can be sent.
    this.sha256 = null
  }
}
