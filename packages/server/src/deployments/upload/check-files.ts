import type { UploadLimits } from '@masthead/contract/deployments.ts'
import type { LeftOut } from '@masthead/contract/schemas/deployment.ts'
import { TimeSlice } from '../../kernel/concurrency.ts'
import { Problem } from '../../kernel/problem.ts'
import { deploymentEmpty, LeftOutFiles } from '../left-out.ts'
import type { Manifest, ManifestFile } from '../manifest.ts'
import { maxFolders, PathSet, publishablePath, quoted } from '../paths.ts'

/** Builds a manifest from a list of files, by the same rules as for an archive. */
export async function checkFiles(
  files: Record<string, { sha256: string; size: number }>,
  limits: UploadLimits,
): Promise<{ manifest: Manifest; leftOut: LeftOut }> {
  const entries = Object.entries(files)
  if (entries.length === 0) throw new Problem('deployment_empty', 'The list of files is empty.')
  if (entries.length > limits.files) {
    const counts = `${entries.length} files; the limit is ${limits.files}`
    throw new Problem('too_many_files', `The deployment has ${counts}.`)
  }
  const paths = new PathSet(maxFolders(limits))
  const skipped = new LeftOutFiles()
  const sizes = new Map<string, number>()
  const manifest = new Map<string, ManifestFile>()
  const slice = new TimeSlice()
  let bytes = 0
  for (const [raw, { sha256, size }] of entries) {
    // Waiting for nothing takes time too.
    const pause = slice.pause()
    if (pause !== undefined) await pause
    if (skipped.leaveOut(raw)) continue
    const path = publishablePath(raw, { rooted: true })
    paths.add(path)
    if (size > limits.bytesPerFile) {
      const counts = `${size} bytes; the limit is ${limits.bytesPerFile}`
      throw new Problem('file_too_large', `${quoted(path)} has ${counts}.`)
    }
    if ((sizes.get(sha256) ?? size) !== size) {
      throw new Problem('digest_mismatch', `Two files have the digest ${sha256} but different sizes.`)
    }
    sizes.set(sha256, size)
    bytes += size
    manifest.set(path, { sha256, size })
  }
  if (bytes > limits.bytesPerDeployment) {
    const counts = `${bytes} bytes; the limit is ${limits.bytesPerDeployment}`
    throw new Problem('deployment_too_large', `The deployment has ${counts}.`)
  }
  const leftOut = skipped.below('/')
  if (manifest.size === 0) throw deploymentEmpty('The list has no files', leftOut)
  return { manifest, leftOut }
}
