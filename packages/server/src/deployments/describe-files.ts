import type { LeftOut } from '@masthead/contract/schemas/deployment.ts'
import { diagnose } from './diagnose.ts'
import { bytesOf, documentBytesOf, type Manifest } from './manifest.ts'
import type { DeploymentRow } from './store.ts'

export type FilesDescription = Pick<
  DeploymentRow,
  'files' | 'bytes' | 'left_out' | 'diagnostics' | 'manifest_bytes'
>

/** What a deployment's row tells about its files. */
export function describeFiles(manifest: Manifest, leftOut: LeftOut): FilesDescription {
  const diagnostics = diagnose(manifest)
  return {
    files: manifest.size,
    bytes: bytesOf(manifest),
    manifest_bytes: documentBytesOf(manifest),
    left_out: leftOut.files === 0 ? null : JSON.stringify(leftOut),
    diagnostics: diagnostics.length === 0 ? null : JSON.stringify(diagnostics),
  }
}

export const noFilesYet: FilesDescription = {
  files: 0,
  bytes: 0,
  left_out: null,
  diagnostics: null,
  manifest_bytes: 0,
}
