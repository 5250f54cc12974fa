import { randomBytes } from 'node:crypto'
import type { SealedColumn, Sealing } from '../secrets/sealing.ts'
import type { WebhookRow } from './store.ts'

const prefix = 'whsec_'
const secretBytes = 32

const purpose = (id: string) => `webhook secret of ${id}`

/** For the rotation of the master key. */
export const webhookSecretColumns: readonly SealedColumn[] = [
  { table: 'webhooks', column: 'sealed_secret', key: 'id', purpose },
  { table: 'webhooks', column: 'sealed_previous_secret', key: 'id', purpose },
]

/** In the form of Standard Webhooks: the prefix, then base64. */
export function newSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64')
}

export function sealSecret(sealing: Sealing, id: WebhookRow['id'], secret: string): string {
  return sealing.seal(secret, purpose(id))
}

/** The secrets that sign now, the current one first. */
export function openSecrets(sealing: Sealing, row: WebhookRow, now: number): string[] {
  const { sealed_secret, sealed_previous_secret } = row
  const previous = row.previous_until > now ? sealed_previous_secret : null
  return [sealed_secret, previous].flatMap((sealed) =>
    sealed === null ? [] : [sealing.open(sealed, purpose(row.id)).toString()],
  )
}

export function signingKey(secret: string): Buffer {
  return Buffer.from(secret.slice(prefix.length), 'base64')
}
