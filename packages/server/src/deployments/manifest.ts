import { hash } from 'node:crypto'
import { ruleFiles, withheldText } from '@masthead/contract/site-rules/rules.ts'
import { isCompressible } from '../kernel/content-type.ts'

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

export const withheldContent = Buffer.from(withheldText)
/** In the manifest instead of a file with passwords. */
export const withheldFile: ManifestFile = {
  sha256: hash('sha256', withheldContent),
  size: withheldContent.byteLength,
}

/** Whether its rules cannot be read from its files again. */
export function isWithheld(manifest: Manifest): boolean {
  return ruleFiles.some((path) => manifest.get(path)?.sha256 === withheldFile.sha256)
}

const smallestEncoded = 256
const largestEncoded = 16 * 1024 ** 2

/** Whether files of this size are compressed. */
export function isEncodableSize(size: number): boolean {
  return size >= smallestEncoded && size <= largestEncoded
}

/** Whether a file is served in compressed forms, or may be once they are created. */
export function mayBeEncoded(path: string, { size, encoded = {} }: ManifestFile): boolean {
  return Object.keys(encoded).length > 0 || (isCompressible(path) && isEncodableSize(size))
}

/**
 * Whether smaller forms of a file are still to be created. A file with the quick form gets others, which are smaller
 * still; one that was not worth it may get them too, but would gain little.
 */
export function awaitsEncodings(path: string, file: ManifestFile): boolean {
  if (file.encoded === undefined) return mayBeEncoded(path, file)
  const [first, ...others] = Object.keys(file.encoded)
  return first === quickEncoding && others.length === 0
}

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
