import type { SiteFile } from './site.ts'

export type FileState = 'waiting' | 'hashing' | 'hashed' | 'sending' | 'there' | 'sent' | 'failed'

export interface FileProgress {
  path: string
  size: number
  state: FileState
  /** Bytes sent so far. */
  bytesSent: number
  /** Why it failed. */
  reason: string | null
}

export interface UploadProgress {
  /** The share of bytes that the server has, from 0 to 1. 1 only when every file is complete. */
  fraction: number
  /** The share of files that are hashed, from 0 to 1. */
  hashedFraction: number
  files: number
  bytes: number
  /** Files that the server has, and their bytes. */
  filesThere: number
  bytesThere: number
  counts: Readonly<Record<FileState, number>>
}

/** The most to show while a file is missing. */
const nearlyAll = 0.99

export function progressOf(files: readonly FileProgress[]): UploadProgress {
  const counts = { waiting: 0, hashing: 0, hashed: 0, sending: 0, there: 0, sent: 0, failed: 0 }
  let bytes = 0
  let bytesThere = 0
  for (const { size, state, bytesSent } of files) {
    counts[state]++
    bytes += size
    if (state === 'there' || state === 'sent') bytesThere += size
    if (state === 'sending') bytesThere += Math.min(bytesSent, size)
  }
  const filesThere = counts.there + counts.sent
  const isAllThere = files.length > 0 && filesThere === files.length
  const fraction = isAllThere ? 1 : bytes === 0 ? 0 : Math.min(bytesThere / bytes, nearlyAll)
  const unhashed = counts.waiting + counts.hashing
  const hashedFraction = files.length === 0 ? 0 : 1 - unhashed / files.length
  return { fraction, hashedFraction, files: files.length, bytes, filesThere, bytesThere, counts }
}

const urgency: readonly FileState[] = ['failed', 'sending', 'hashing']

/** A few files to show: failed and active ones first, then the latest finished, then the next. */
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
  sending: 'Uploading',
  there: 'Unchanged',
  sent: 'Uploaded',
  failed: 'Failed',
}

export class OutgoingFile implements FileProgress {
  readonly path: string
  readonly #reopen: SiteFile['reopen']
  #file: File
  size: number
  state: FileProgress['state'] = 'waiting'
  bytesSent = 0
  reason: string | null = null
  /** Known once it is hashed. */
  sha256: string | null = null

  /** Whether another attempt reads it as it is now. */
  get canReopen(): boolean {
    return this.#reopen !== null
  }

  constructor({ path, file, reopen }: SiteFile) {
    this.path = path
    this.#file = file
    this.#reopen = reopen
    this.size = file.size
  }

  /** Null if it cannot be read: then it is marked as failed. */
  async content(): Promise<Uint8Array<ArrayBuffer> | null> {
    return this.#read(async () => {
      // After a failure, the file may have been replaced.
      if (this.reason !== null && this.#reopen !== null) this.#file = await this.#reopen()
      return new Uint8Array(await this.#file.arrayBuffer())
    })
  }

  /** The file to stream without holding it in memory; null if it cannot be read. */
  async readable(): Promise<File | null> {
    return this.#read(async () => {
      // Browsers only notice a changed file when they read it.
      await this.#file.slice(0, 1).arrayBuffer()
      return this.#file
    })
  }

  async #read<T>(read: () => Promise<T>): Promise<T | null> {
    try {
      return await read()
    } catch {
      this.fail('cannot be read: it was changed or moved, or access was denied')
      return null
    }
  }

  fail(reason: string): void {
    this.state = 'failed'
    this.reason = reason
    // It has to be hashed again before it can be sent.
    this.sha256 = null
  }
}
