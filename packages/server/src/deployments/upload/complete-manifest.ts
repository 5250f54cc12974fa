import { isCompressible } from '../../kernel/content-type.ts'
import { Problem } from '../../kernel/problem.ts'
import type { BlobRow } from '../blob-row-store.ts'
import type { EncodedSizes, Manifest, ManifestFile } from '../manifest.ts'

/** A manifest with the compressed forms that exist. */
export interface CompleteManifest {
  manifest: Manifest
  /** How many files were never compressed. */
  untried: number
  /** How many do not have their best form yet. */
  unfinished: number
}

/**
 * Reuses compressed forms of earlier deployments, so that they are served from the first request on. Throws if contents
 * are missing or have another size.
 */
export function completeManifest(announced: Manifest, held: readonly BlobRow[]): CompleteManifest {
  const rows = new Map(held.map((row) => [row.sha256, row]))
  const manifest = new Map<string, ManifestFile>()
  const missing = new Set<string>()
  let untried = 0
  let unfinished = 0
  for (const [path, file] of announced) {
    const { sha256, size } = file
    const row = rows.get(sha256)
    if (row === undefined) {
      missing.add(sha256)
      continue
    }
    refuseOtherSize(path, file, row)
    const { encoded, encoded_best: isBest } = row
    if (isCompressible(path)) {
      if (encoded === null) untried++
      if (isBest !== 1) unfinished++
    }
    if (encoded === null) manifest.set(path, { sha256, size })
    else manifest.set(path, { sha256, size, encoded: JSON.parse(encoded) as EncodedSizes })
  }
  if (missing.size > 0) {
    const detail = `${missing.size} of ${announced.size} files have not been uploaded yet.`
    throw new Problem('files_missing', detail, { extra: { missing: [...missing] } })
  }
  return { manifest, untried, unfinished }
}

/** A list can be wrong about the size of a content that the account has, or gets from another upload. */
export function refuseOtherSize(
  path: string,
  { sha256, size }: ManifestFile,
  stored: Pick<BlobRow, 'size'>,
): void {
  if (stored.size === size) return
  const detail = `${path} is listed with ${size} bytes, but the file with the digest ${sha256} has ${stored.size}.`
  throw new Problem('digest_mismatch', detail)
}

/** As if all its contents had just been uploaded. */
export function manifestWithoutForms(manifest: Manifest): CompleteManifest {
  let compressible = 0
  for (const path of manifest.keys()) if (isCompressible(path)) compressible++
  return { manifest, untried: compressible, unfinished: compressible }
}
