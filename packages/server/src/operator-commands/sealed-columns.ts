import { certificateColumns } from '../certificates/sealed-columns.ts'
import { operatorKeyColumn } from '../secrets/operator-key.ts'
import type { SealedColumn } from '../secrets/sealing.ts'
import { siteKeyColumn } from '../secrets/site-key.ts'
import { webhookSecretColumns } from '../webhooks/secrets.ts'

/** Every column with sealed values. One missing here becomes unreadable when the master key is rotated. */
export const sealedColumns: readonly SealedColumn[] = [
  ...certificateColumns,
  operatorKeyColumn,
  siteKeyColumn,
  ...webhookSecretColumns,
]
