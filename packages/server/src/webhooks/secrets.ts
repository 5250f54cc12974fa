import { randomBytes } from 'node:crypto'
import { webhookLimits } from '@masthead/contract/webhooks/webhooks.ts'
import { hour } from '../kernel/clock.ts'
import { type SealedColumn, type Sealing, SealingError } from '../secrets/sealing.ts'
import type { WebhookChange, WebhookRow } from './store.ts'

const prefix = 'whsec_'
const secretBytes = 32

const purpose = (id: string) => `webhook secret of ${id}`

/** For the rotation of the master key. */
export const webhookSecretColumns: readonly SealedColumn[] = [
  { table: 'webhooks', column: 'sealed_secret', key: 'id', purpose },
  { table: 'webhooks', column: 'sealed_previous_secret', key: 'id', purpose, isTemporary: true },
  { table: 'webhooks', column: 'sealed_older_secrets', key: 'id', purpose, isTemporary: true },
]

/** In the form of Standard Webhooks: the prefix, then base64. */
export function newSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64')
}

export function sealSecret(sealing: Sealing, id: WebhookRow['id'], secret: string): string {
  return sealing.seal(secret, purpose(id))
}

interface FormerSecret {
  secret: string
  until: number
}

/** The secrets that sign now, the current one first. */
export function openSecrets(sealing: Sealing, row: WebhookRow, now: number): string[] {
  const current = open(sealing, row.id, row.sealed_secret)
  return [current, ...formerSecrets(sealing, row, now).map(({ secret }) => secret)]
}

/** Those before the current one that still sign, newest first. */
function formerSecrets(sealing: Sealing, row: WebhookRow, now: number): FormerSecret[] {
  const { id, sealed_previous_secret, previous_until, sealed_older_secrets } = row
  const previous = openIfPossible(sealing, id, sealed_previous_secret)
  const older = openIfPossible(sealing, id, sealed_older_secrets) ?? '[]'
  const all = [
    ...(previous === null ? [] : [{ secret: previous, until: previous_until }]),
    ...(JSON.parse(older) as FormerSecret[]),
  ]
  return all.filter(({ until }) => until > now)
}

/** Null if an older version, which did not know the column, has rotated the master key since. */
function openIfPossible(sealing: Sealing, id: WebhookRow['id'], sealed: string | null): string | null {
  if (sealed === null) return null
  try {
    return open(sealing, id, sealed)
  } catch (error) {
    if (error instanceof SealingError) return null
    throw error
  }
}

/** The former secrets sign until their own time is over: a receiver may still use any of them. */
export function replaceSecret(sealing: Sealing, row: WebhookRow, secret: string, at: number): WebhookChange {
  const older = formerSecrets(sealing, row, at).slice(0, webhookLimits.formerSecrets - 1)
  return {
    sealed_secret: sealSecret(sealing, row.id, secret),
    sealed_previous_secret: row.sealed_secret,
    previous_until: at + webhookLimits.hoursOfOverlap * hour,
    sealed_older_secrets: older.length === 0 ? null : sealSecret(sealing, row.id, JSON.stringify(older)),
  }
}

function open(sealing: Sealing, id: WebhookRow['id'], sealed: string): string {
  return sealing.open(sealed, purpose(id)).toString()
}

export function signingKey(secret: string): Buffer {
  return Buffer.from(secret.slice(prefix.length), 'base64')
}
