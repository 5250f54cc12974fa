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

/** Whether the owner has decided which branch, tags or environment may deploy. `sub` may name them too. */
export function namesSource(claims: Claims): boolean {
  return (
    ['ref', 'ref_path', 'environment'].some((name) => claims[name] !== undefined) ||
    claims.ref_type === 'tag' ||
    /:(ref|environment):/.test(claims.sub ?? '')
  )
}

/** Events whose tokens can name a branch, although what they run for may be of a fork. */
const pullRequestEvents: readonly unknown[] = [
  'pull_request',
  'pull_request_target',
  'merge_request_event',
  'external_pull_request_event',
]

/**
 * The branch that a token is for; empty if it is for a tag or a pull request. Null if it says nothing of the kind, as the
 * token of a service account.
 */
export function branchOf(payload: Readonly<Record<string, unknown>>): string | null {
  const branch = namedBranch(payload)
  return branch === null || !isPullRequest(payload) ? branch : ''
}

/** The same, but for a pull request its own branch. It may be of a fork, and have the name of one of the repository. */
export function previewBranchOf(payload: Readonly<Record<string, unknown>>): string | null {
  const { head_ref } = payload
  // GitLab names the branch of the merge request in `ref`.
  const isNamed = isPullRequest(payload) && typeof head_ref === 'string' && head_ref !== ''
  return isNamed ? (storable.test(head_ref) ? head_ref : '') : namedBranch(payload)
}

function isPullRequest({ event_name, pipeline_source }: Readonly<Record<string, unknown>>): boolean {
  return [event_name, pipeline_source].some((one) => pullRequestEvents.includes(one))
}

function namedBranch({ ref, ref_path, ref_type }: Readonly<Record<string, unknown>>): string | null {
  // GitLab has the whole name in `ref_path`, and only `main` in `ref`. GitHub and Forgejo have the whole name in `ref`.
  const name = ref_path ?? ref
  if (name === undefined) return null
  if (typeof name !== 'string') return ''
  const isWhole = name.startsWith('refs/')
  const isBranch = isWhole ? name.startsWith('refs/heads/') : ref_type === 'branch'
  const branch = isBranch && isWhole ? name.slice('refs/heads/'.length) : name
  return isBranch && storable.test(branch) ? branch : ''
}

/** No project has a production branch that this leaves out. */
const storable = /^\P{C}{1,255}$/u

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
  const text = Array.isArray(value) ? value.slice(0, 5).map(plain).join(', ') : plain(value)
  const clean = text.replaceAll(/\p{C}/gu, '\ufffd')
  return clean.length <= 120 ? clean : `${clean.slice(0, 119)}…`
}

/** Strangers choose the value, and an object of theirs may be none that can be written as text. */
function plain(value: unknown): string {
  return typeof value === 'object' && value !== null ? '{…}' : String(value)
}
