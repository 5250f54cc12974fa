import type { TrustedPublisher } from '@masthead/contract/schemas/key.ts'
import { type PublisherPreset, publisherPresets } from '@masthead/contract/trust/trusted-publishers.ts'
import { isoTime, isoTimeOrNull } from '../kernel/clock.ts'
import type { PublisherRow } from './store.ts'

export type Claims = Readonly<Record<string, string>>

export function readClaims({ claims }: Pick<PublisherRow, 'claims'>): Claims {
  return JSON.parse(claims) as Claims
}

export function toPublisher(row: PublisherRow, audience: string): TrustedPublisher {
  return {
    id: row.id,
    issuer: row.issuer,
    claims: readClaims(row),
    project: { id: row.project_id, slug: row.project_slug },
    audience,
    createdAt: isoTime(row.created_at),
    createdBy: row.created_by,
    responsible: row.responsible_id,
    lastUsedAt: isoTimeOrNull(row.last_used_at),
  }
}

/** The claims that a token does not have with exactly the expected value. */
export function differingClaims(expected: Claims, payload: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(expected).filter((name) => {
    const value = Object.hasOwn(payload, name) ? payload[name] : undefined
    return !['string', 'number', 'boolean'].includes(typeof value) || String(value) !== expected[name]
  })
}

const longestName = 80

/** What people call the pipeline, such as "GitHub Actions (acme/website)". */
export function pipelineName(issuer: string, claims: Claims): string {
  const presets: PublisherPreset[] = Object.values(publisherPresets)
  const preset = presets.find((one) => one.issuer === issuer)
  const title = preset?.title ?? new URL(issuer).host
  const who = ['repository', 'project_path', 'sub']
    .map((name) => claims[name])
    .find((value) => value !== undefined)
  const name = `${title} (${who ?? Object.values(claims)[0] ?? ''})`
  return name.length <= longestName ? name : `${name.slice(0, longestName - 1)}…`
}

/** A value of a token in a message: short, and without what could change how a terminal or page shows it. */
export function shown(value: unknown): string {
  const text = Array.isArray(value) ? value.slice(0, 5).map(String).join(', ') : String(value)
  const clean = text.replaceAll(/\p{C}/gu, '\ufffd')
  return clean.length <= 120 ? clean : `${clean.slice(0, 119)}…`
}
