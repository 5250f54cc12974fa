import type { UploadLimits } from '@masthead/contract/upload-limits.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import type { ProjectContext } from '../projects/create-project.ts'

export interface DeploymentContext extends ProjectContext {
  blobs: BlobStore
  limits: UploadLimits
  /** Where archives wait that can only be read once they are complete. */
  spoolFolder: string
}
