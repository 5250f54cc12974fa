import type { DeploymentState } from '@masthead/contract/deployments.ts'
import type { ApexProof, DomainState, TimelineKind } from '@masthead/contract/domains/states.ts'
import type { EventKind, EventType } from '@masthead/contract/events.ts'
import type { PlanName } from '@masthead/contract/plans.ts'
import type { HtmlHandling } from '@masthead/contract/project-settings.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { LabRecordType } from '@masthead/contract/schemas/lab.ts'
import type { Role } from '@masthead/contract/scopes.ts'
import type { Generated, GeneratedAlways } from 'kysely'
import type { CertificateTables } from './certificate-tables.ts'

/** Times are milliseconds since 1970; flags are 0 or 1; lists and objects are JSON text: the same on both databases. */
export interface Schema extends CertificateTables {
  accounts: {
    id: Id<'account'>
    name: string
    plan: PlanName
    limit_per_minute: number | null
    limit_per_day: number | null
    /** The most domains of a project; null: any number. */
    limit_domains: number | null
    /** Bytes of files; null: what the largest plan with figures has. */
    limit_storage: number | null
    created_at: number
    /** Set while the operator has suspended it, with what its people are told. */
    suspended_at: number | null
    suspended_reason: string | null
    /** Set once nothing of it is left but its activity. */
    deleted_at: number | null
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
    id: Id<'session'>
    person_id: Id<'person'>
    /** The account that was acted in last; null: the person had none. */
    account_id: Id<'account'> | null
    created_at: number
    expires_at: number
    last_seen_at: number
    /** Where it was used last: the client's address and its browser in plain words. */
    address: string | null
    browser: string | null
  }
  /** At most one open link per person. `account_id`: the account whose owner created it; null: the operator did. */
  password_resets: {
    person_id: Id<'person'>
    token_hash: string
    account_id: Id<'account'> | null
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
    /** The person responsible for it; null: none is known. */
    inviter_id: Id<'person'> | null
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
    /** Null, all three: not known. */
    created_by_kind: 'person' | 'key' | 'operator' | 'system' | null
    created_by_id: string | null
    created_by_name: string | null
    /** The person who created it, or the key that created it: with their membership it ends. */
    responsible_id: Id<'person'> | null
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
  /** Networks that a person signed in from, the latest of them. */
  known_networks: { person_id: Id<'person'>; network: string; last_at: number }
  attempts: { subject: string; failures: number; last_at: number }
  projects: {
    id: Id<'project'>
    account_id: Id<'account'>
    slug: string
    name: string
    html_handling: HtmlHandling
    single_page: number
    strict_transport: number
    active_deployment_id: Id<'deployment'> | null
    created_at: number
    updated_at: number
    /** Set while the operator has taken the site down: visitors get this status and the reason. */
    takedown_at: number | null
    takedown_reason: string | null
    takedown_status: 403 | 451 | null
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
    /** The same for the form that is quick to make. */
    quick_encoded_at: number | null
    /** Attempts in a row in which some file could not be compressed, and when to try again. */
    encode_failures: number
    encode_due_at: number
    encode_lease_until: number
    /** JSON of the files that were not published, as the API shows them; null: none. */
    left_out: string | null
    /** JSON of the diagnostics, as the API shows them; null: none. */
    diagnostics: string | null
    manifest_bytes: number
    /** While it is uploaded: what it may still store. */
    reserved_bytes: number
  }
  blobs: {
    account_id: Id<'account'>
    sha256: string
    size: number
    /** JSON of the sizes of the compressed forms; null until they were tried. */
    encoded: string | null
    /** 1: every form was tried, 0: only the one that is quick to make. */
    encoded_best: Generated<number>
    /** Set once nothing refers to it; the file goes next. An upload that brings it anew clears this. */
    doomed_at: number | null
  }
  /** Manifests of deployments that are gone, kept until the files that only they named are gone too. */
  discarded_manifests: { deployment_id: Id<'deployment'>; account_id: Id<'account'>; bytes: number }
  /** Bytes of the files that lie in each account's space, compressed forms not counted. */
  storage: { account_id: Id<'account'>; bytes: number }
  events: {
    id: Id<'event'>
    account_id: Id<'account'>
    type: EventType
    /** The part of the type before the dot. */
    kind: GeneratedAlways<EventKind>
    actor_kind: 'person' | 'key' | 'operator' | 'system'
    actor_id: string | null
    actor_name: string
    project_id: Id<'project'> | null
    data: string
    at: number
  }
  changes: { seq: Generated<number>; kind: string; subject: string; at: number }
  domains: {
    id: Id<'domain'>
    account_id: Id<'account'>
    project_id: Id<'project'>
    hostname: string
    kind: 'subdomain' | 'apex'
    state: DomainState
    /** The state to resume to; set while suspended. */
    state_before: DomainState | null
    /** 1: this account proved the name and nobody else did since. Of all rows of a hostname at most one. */
    held: number
    /** The first label of the CNAME target. */
    target: string
    /** The value of the TXT record that proves this claim. It changes when another account proves the name. */
    challenge: string
    /** How the account proved an apex; null: it did not, or the name needs no proof beside its CNAME. */
    proof: ApexProof | null
    /** Until when the account of an apex that is served without a proof is asked for one. */
    proof_due_at: number | null
    /** When it was last told so. */
    proof_noticed_at: number | null
    /** What was registered: the public suffix and one label. */
    registrable: string | null
    created_at: number
    verified_at: number | null
    live_at: number | null
    /** When the 48 hours began. */
    searching_since: number
    /** When a person last asked for a check: checks are dense for a while from here. */
    asked_at: number
    state_since: number
    /** Null: not checked by itself. */
    next_check_at: number | null
    lease_owner: string | null
    lease_until: number
    /** JSON of the last check, as the API shows it. */
    last_check: string | null
    /** JSON of the evidence that it was live: our own request through the edge. */
    probe: string | null
  }
  /** Names that were removed: their account gets the same records again, another must prove the name afresh. */
  domain_tombstones: {
    hostname: string
    account_id: Id<'account'>
    target: string
    /** When the account had proved the name; null where it never did. */
    held_at: number | null
    removed_at: number
  }
  /** Slugs of projects that were renamed or deleted: for a while only their account may take them again. */
  released_slugs: { slug: string; account_id: Id<'account'>; released_at: number }
  domain_configs: {
    project_id: Id<'project'>
    /** Null: the default subdomain, whatever the slug is. */
    primary_domain: string | null
    /** JSON of `{from, to, status}`; null as a name is the default subdomain. */
    redirects: string
    updated_at: number
  }
  domain_timeline: {
    id: Id<'event'>
    account_id: Id<'account'>
    hostname: string
    /** 1: the account removed the name; shown again once it adds it again. */
    removed: number
    kind: TimelineKind
    at: number
    /** Checks with the same result as the one before are counted, not repeated. */
    last_at: number
    times: number
    actor_kind: 'person' | 'key' | 'operator' | 'system'
    actor_id: string | null
    actor_name: string
    fingerprint: string | null
    check_result: string | null
    data: string
  }
  internal_ca: { id: string; certificate: string; sealed_key: string; created_at: number }
  ticket_keys: { id: string; sealed_key: string; created_at: number }
  /** A known value: whoever opens it has the right master key. */
  master_key_check: { id: string; sealed: string }
  lab_records: { name: string; type: LabRecordType; value_list: string; ttl: number }
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

export type Dialect = 'sqlite' | 'postgres'
