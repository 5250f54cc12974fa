import type { DeploymentState } from '@masthead/contract/deployment-states.ts'
import type { EventType } from '@masthead/contract/events.ts'
import type { HtmlHandling } from '@masthead/contract/html-handling.ts'
import type { Id } from '@masthead/contract/ids.ts'
import type { PlanName } from '@masthead/contract/plans.ts'
import type { Role } from '@masthead/contract/scopes.ts'
import type { Generated } from 'kysely'

/** Times are milliseconds since 1970; flags are 0 or 1; lists and objects are JSON text: the same on both databases. */
export interface Schema {
  accounts: {
    id: Id<'account'>
    name: string
    plan: PlanName
    limit_per_minute: number | null
    limit_per_day: number | null
    created_at: number
  }
  people: {
    id: Id<'person'>
    email: string
    name: string
    password_hash: string
    operator: number
    created_at: number
  }
  members: { account_id: Id<'account'>; person_id: Id<'person'>; role: Role; joined_at: number }
  sessions: {
    token_hash: string
    person_id: Id<'person'>
    account_id: Id<'account'>
    created_at: number
    expires_at: number
  }
  setup_links: { token_hash: string; account_id: Id<'account'>; created_at: number }
  invitations: {
    id: Id<'invitation'>
    account_id: Id<'account'>
    email: string
    role: Role
    token_hash: string
    invited_by: string
    created_at: number
    expires_at: number
  }
  keys: {
    id: Id<'key'>
    account_id: Id<'account'>
    /** Set: the key acts for this person, and never has more than their role. */
    person_id: Id<'person'> | null
    name: string
    scopes: string
    secret_hash: string
    hint: string
    created_at: number
    expires_at: number | null
    last_used_at: number | null
  }
  logins: {
    code: string
    secret_hash: string
    client: string
    address: string
    state: 'pending' | 'approved' | 'denied'
    account_id: Id<'account'> | null
    person_id: Id<'person'> | null
    created_at: number
    expires_at: number
  }
  attempts: { subject: string; failures: number; last_at: number }
  projects: {
    id: Id<'project'>
    account_id: Id<'account'>
    slug: string
    name: string
    html_handling: HtmlHandling
    single_page: number
    active_deployment_id: Id<'deployment'> | null
    created_at: number
    updated_at: number
  }
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
    /** When every file that is worth it had its compressed forms. */
    encoded_at: number | null
  }
  blobs: {
    account_id: Id<'account'>
    sha256: string
    size: number
    /** JSON of the sizes of the compressed forms; null until they were tried. */
    encoded: string | null
    /** Set once nothing refers to it; the file goes next. An upload that brings it anew clears this. */
    doomed_at: number | null
  }
  /** Manifests of deployments that are gone, kept until the files that only they named are gone too. */
  discarded_manifests: { deployment_id: Id<'deployment'>; account_id: Id<'account'> }
  events: {
    id: Id<'event'>
    account_id: Id<'account'>
    type: EventType
    actor_kind: 'person' | 'key' | 'operator' | 'system'
    actor_id: string | null
    actor_name: string
    project_id: Id<'project'> | null
    data: string
    at: number
  }
  changes: { seq: Generated<number>; kind: string; subject: string; at: number }
  idempotency: {
    owner: string
    key: string
    fingerprint: string
    started_at: number
    /** The sealed answer; null while the request runs. */
    answer: string | null
  }
  /** Admitted requests by UTC minute and UTC day. Today's row is also the account's day count after a restart. */
  request_counts: { account_id: string; unit: 'minute' | 'day'; start: number; requests: number }
  /** The last ban of a key, kept until no step of it counts any more. */
  bans: {
    key_id: string
    account_id: string
    since: number
    until: number
    step: number
    violations: number
  }
}
