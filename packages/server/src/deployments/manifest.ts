import { ruleFiles } from '@masthead/contract/site-rules/rules.ts'

/** Content encodings, smallest first. */
export const encodings = ['br', 'zstd', 'gzip'] as const
export type Encoding = (typeof encodings)[number]
/** Created first: every client accepts it, and it is much faster than the others. */
export const quickEncoding: Encoding = 'gzip'

/** Sizes of the compressed forms of a content. */
export type EncodedSizes = { [E in Encoding]?: number }

export interface ManifestFile {
  /** Lower-case hex digest of the uncompressed content. */
  sha256: string
  size: number
  /** Omitted until compression was tried. */
  encoded?: EncodedSizes
}

/** The files of one deployment. Keys are decoded paths in NFC with a leading slash: `/docs/index.html`. */
export type Manifest = ReadonlyMap<string, ManifestFile>

export function digestsOf(manifest: Manifest): string[] {
  return [...new Set(Array.from(manifest.values(), (file) => file.sha256))]
}

/** By digest. */
export function sizesOf(manifest: Manifest): Map<string, number> {
  return new Map(Array.from(manifest.values(), ({ sha256, size }) => [sha256, size]))
}

/** A file that is published twice counts twice. */
export function bytesOf(manifest: Manifest): number {
  let bytes = 0
  for (const file of manifest.values()) bytes += file.size
  return bytes
}

export function hasRules(manifest: Manifest): boolean {
  return ruleFiles.some((path) => manifest.has(path))
}

/** Short lines take more space as rules. */
const growthOfRules = 10

/** Roughly the size of the manifest on disk, with all compressed forms, and of the rules. */
export function documentBytesOf(manifest: Manifest): number {
  let bytes = 0
  for (const path of ruleFiles) bytes += growthOfRules * (manifest.get(path)?.size ?? 0)
  for (const path of manifest.keys()) bytes += Buffer.byteLength(path) + 150
  return bytes
}
