/** A content coding that a file may be stored in beside its plain form, best first. */
export const encodings = ['br', 'zstd', 'gzip'] as const
export type Encoding = (typeof encodings)[number]
/** Made first: every client takes it, and it takes a fraction of the time of the others. */
export const quickEncoding: Encoding = 'gzip'

export interface ManifestFile {
  /** Lower-case hex digest of the plain content. */
  sha256: string
  size: number
  /** Sizes of the compressed forms that exist. Absent until compression has looked at the file. */
  encoded?: { [E in Encoding]?: number }
}

/** Everything one deployment serves. Keys are paths with a leading slash, decoded, in NFC: `/docs/index.html`. */
export type Manifest = ReadonlyMap<string, ManifestFile>

export function digestsOf(manifest: Manifest): string[] {
  return [...new Set(Array.from(manifest.values(), (file) => file.sha256))]
}

/** What visitors could download: a file that is published twice counts twice. */
export function bytesOf(manifest: Manifest): number {
  let bytes = 0
  for (const file of manifest.values()) bytes += file.size
  return bytes
}

/** About what the manifest takes on disk, compressed forms noted. */
export function documentBytesOf(manifest: Manifest): number {
  let bytes = 0
  for (const path of manifest.keys()) bytes += Buffer.byteLength(path) + 150
  return bytes
}
