/** One thing inside an archive. Names are as the archive has them: decoded, but not yet checked. */
export type ArchiveEntry = ArchiveFile | ArchiveFolder

export interface ArchiveFile {
  kind: 'file'
  name: string
  /** What the archive declares. `content` gives exactly so many bytes or throws. */
  size: number
  /** Can be read once, and only until the next entry is asked for. */
  content: AsyncIterable<Uint8Array>
}

export interface ArchiveFolder {
  kind: 'folder'
  name: string
}

/** Whether an entry of this name is passed over, whatever it is. Asked once for each. */
export type SkipsEntry = (name: string) => boolean
