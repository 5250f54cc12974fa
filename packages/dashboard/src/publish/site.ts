import { type ArchiveType, archiveType } from './archive-type.ts'

export interface SiteFile {
  /** As visitors name it: `/docs/index.html`. */
  path: string
  file: File
  /** The file as it is now, where it can be had: a browser does not read one that changed since it was taken. */
  again: () => Promise<File>
}

export interface FolderSite {
  kind: 'folder'
  /** What the folder is called; null for loose files. */
  name: string | null
  files: readonly SiteFile[]
  bytes: number
  /** What stays behind: `/.env`, or a folder as `/.git/`. */
  leftOut?: readonly string[]
}

export interface ArchiveSite {
  kind: 'archive'
  name: string
  file: File
  type: ArchiveType
}

/** What somebody wants to see published. */
export type Site = FolderSite | ArchiveSite

/** What cannot be published, and what to do about it. */
export class SiteFault extends Error {
  override readonly name = 'SiteFault'
  readonly fix: string

  constructor(message: string, fix: string) {
    super(message)
    this.fix = fix
  }
}

export function archiveSite(file: File): ArchiveSite | null {
  const type = archiveType(file.name)
  return type === null ? null : { kind: 'archive', name: file.name, file, type }
}
