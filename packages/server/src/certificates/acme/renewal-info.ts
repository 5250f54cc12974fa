import { z } from 'zod'
import { day, hour, minute } from '../../kernel/clock.ts'
import type { AcmeConnection } from './connection.ts'
import { readJson } from './read-response.ts'
import { rfc3339 } from './response-fields.ts'

/** When the CA wants a certificate to be renewed (RFC 9773). */
export interface RenewalInfo {
  window: { start: number; end: number }
  /** When to ask again: what the CA says, within our limits. */
  nextCheckAt: number
}

const soonestCheck = minute
const latestCheck = day
const defaultCheck = 6 * hour

const renewalInfoBody = z.object({
  suggestedWindow: z
    .object({ start: rfc3339, end: rfc3339 })
    .refine(({ start, end }) => start < end, 'the window ends before it starts'),
})

/** Null if the CA does not support ARI. */
export async function readRenewalInfo(connection: AcmeConnection, id: string): Promise<RenewalInfo | null> {
  const { renewalInfo } = await connection.directory()
  if (renewalInfo === undefined) return null
  const response = await connection.get(`${renewalInfo.replace(/\/$/, '')}/${id}`)
  const { suggestedWindow } = readJson(response, renewalInfoBody)
  const now = connection.now()
  const suggested = response.retryAt ?? now + defaultCheck
  return {
    window: suggestedWindow,
    nextCheckAt: Math.min(Math.max(suggested, now + soonestCheck), now + latestCheck),
  }
}
