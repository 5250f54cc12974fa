import type { DeploymentState } from '@masthead/contract/deployments.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Generated } from 'kysely'

/** Deployments and the files in the space of each account. */
export interface DeploymentTables {
  deployments: {
    id: Id<'deployment'>
    account_id: Id<'account'>
    project_id: Id<'project'>
    state: DeploymentState
    files: number
    bytes: number
    created_by: string
    created_at: number
    ready_at: number | null
    activated_at: number | null
    /** When all compressed forms were created. */
    encoded_at: number | null
    /** When the quick compressed forms were created. */
    quick_encoded_at: number | null
    /** Failed compression attempts in a row, and when to retry. */
    encode_failures: number
    encode_due_at: number
    encode_lease_until: number
    /** JSON of the files that were not published, as shown by the API; null: none. */
    left_out: string | null
    /** JSON of the diagnostics, as shown by the API; null: none. */
    diagnostics: string | null
    manifest_bytes: number
    /** Bytes that the upload may still store. */
    reserved_bytes: number
    /** JSON of the metadata, as shown by the API; null: none. */
    meta: string | null
    /** The branch in `meta`. */
    branch: string | null
    /** The branch in the address that shows its newest deployment. */
    branch_label: string | null
    /** Whether it shall go live once it is ready, as asked when it was created; null: not asked. */
    activate: number | null
  }
  blobs: {
    account_id: Id<'account'>
    sha256: string
    size: number
    /** JSON of the sizes of the compressed forms; null until they were created. */
    encoded: string | null
    /** 1: all forms were tried; 0: only the quick one. */
    encoded_best: Generated<number>
    /** Set when nothing refers to the blob any more; its file is deleted next. Uploading it again clears this. */
    doomed_at: number | null
  }
  /** Lists of files that arriving archives rely on. The first of each is empty; an older version writes none. */
  archive_files: { deployment_id: Id<'deployment'>; part: number; account_id: Id<'account'>; digests: string }
  /** Manifests of removed deployments, kept until the files that only they name are deleted. */
  discarded_manifests: { deployment_id: Id<'deployment'>; account_id: Id<'account'>; bytes: number }
  /** Bytes of the files in each account's space, without compressed forms. */
  storage: { account_id: Id<'account'>; bytes: number }
}
