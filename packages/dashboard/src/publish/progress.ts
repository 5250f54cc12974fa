import type { SiteFile } from './site.ts'

/** Where a file of a publication is on its way. */
export type FileState = 'waiting' | 'hashing' | 'hashed' | 'sending' | 'there' | 'sent' | 'failed'

export interface FileProgress {
  path: string
  size: number
  state: FileState
  /** Bytes on their way, while it is being sent. */
  underWay: number
  /** Why it failed. */
  fault: string | null
}

export interface UploadProgress {
  /** Bytes that the server has, from 0 to 1: what the words say. 1 only when every file is there. */
  fraction: number
  /** Files that were hashed, from 0 to 1. */
  hashedFraction: number
  files: number
  bytes: number
  /** Files that the server has by now, and their bytes. */
  filesThere: number
  bytesThere: number
  counts: Readonly<Record<FileState, number>>
}

/** As long as something is missing. */
const nearlyAll = 0.99

/** How far a publication has come. */
export function progressOf(files: readonly FileProgress[]): UploadProgress {
  const counts = { waiting: 0, hashing: 0, hashed: 0, sending: 0, there: 0, sent: 0, failed: 0 }
  let bytes = 0
  let bytesThere = 0
  for (const { size, state, underWay } of files) {
    counts[state]++
    bytes += size
    if (state === 'there' || state === 'sent') bytesThere += size
    if (state === 'sending') bytesThere += Math.min(underWay, size)
  }
  const filesThere = counts.there + counts.sent
  const isAllThere = files.length > 0 && filesThere === files.length
  const fraction = isAllThere ? 1 : bytes === 0 ? 0 : Math.min(bytesThere / bytes, nearlyAll)
  const unhashed = counts.waiting + counts.hashing
  const hashedFraction = files.length === 0 ? 0 : 1 - unhashed / files.length
  return { fraction, hashedFraction, files: files.length, bytes, filesThere, bytesThere, counts }
}

const urgency: readonly FileState[] = ['failed', 'sending', 'hashing']

/** The few files worth showing of many: what failed and what is at work, then what came last, then what is next. */
export function filesToShow(files: readonly FileProgress[], most: number): FileProgress[] {
  const shown: FileProgress[] = []
  for (const state of urgency) {
    for (const file of files) {
      if (shown.length === most) return shown
      if (file.state === state) shown.push(file)
    }
  }
  const isThere = ({ state }: FileProgress) => state === 'there' || state === 'sent'
  const last = files.findLastIndex(isThere)
  for (let at = last; at >= 0 && shown.length < most; at--) {
    const file = files[at]
    if (file !== undefined && isThere(file)) shown.push(file)
  }
  for (const file of files) {
    if (shown.length === most) break
    if (file.state === 'waiting' || file.state === 'hashed') shown.push(file)
  }
  return shown
}

export const fileStateWords: Readonly<Record<FileState, string>> = {
  waiting: 'Waiting',
  hashing: 'Hashing',
  hashed: 'Waiting',
  sending: 'Sending',
  there: 'There already',
  sent: 'Sent',
  failed: 'Failed',
}

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
