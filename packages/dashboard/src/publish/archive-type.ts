export type ArchiveType = 'application/gzip' | 'application/zip'

const endings = [
  { ending: /\.zip$/i, type: 'application/zip' },
  { ending: /\.(tar\.gz|tgz)$/i, type: 'application/gzip' },
] as const

/** What a file input is told to offer. */
export const archiveEndings = '.zip,.tar.gz,.tgz,application/zip,application/gzip'

/** How the API calls an archive of this name; null for what is no archive. */
export function archiveType(name: string): ArchiveType | null {
  return endings.find(({ ending }) => ending.test(name))?.type ?? null
}

export function withoutArchiveEnding(name: string): string {
  return endings.reduce((rest, { ending }) => rest.replace(ending, ''), name)
}
