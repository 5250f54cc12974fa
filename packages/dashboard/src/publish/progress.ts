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

export interface Progress {
  /** From 0 to 1; it never goes back while the states go forward. */
  fraction: number
  files: number
  bytes: number
  /** Files that the server has by now, and their bytes. */
  filesThere: number
  bytesThere: number
  counts: Readonly<Record<FileState, number>>
}

/** A file of a thousand bytes takes about as long as an empty one. */
const overhead = 1_000

/** How far a publication has come, of which hashing is the given share. */
export function progressOf(files: readonly FileProgress[], hashShare: number): Progress {
  const counts = { waiting: 0, hashing: 0, hashed: 0, sending: 0, there: 0, sent: 0, failed: 0 }
  let whole = 0
  let done = 0
  let bytes = 0
  let bytesThere = 0
  for (const { size, state, underWay } of files) {
    counts[state]++
    bytes += size
    whole += size + overhead
    const isThere = state === 'there' || state === 'sent'
    const sent = isThere ? size + overhead : state === 'sending' ? Math.min(underWay, size) : 0
    if (isThere) bytesThere += size
    if (state === 'sending') bytesThere += Math.min(underWay, size)
    const hashed = state === 'waiting' || state === 'hashing' ? 0 : size + overhead
    done += hashed * hashShare + sent * (1 - hashShare)
  }
  const filesThere = counts.there + counts.sent
  const fraction = whole === 0 ? 0 : done / whole
  return { fraction, files: files.length, bytes, filesThere, bytesThere, counts }
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
