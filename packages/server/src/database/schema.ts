import type { DeploymentState } from '@masthead/contract/deployments.ts'
import type { ApexProof } from '@masthead/contract/domains/proofs.ts'
import type { ProxyProvider } from '@masthead/contract/domains/proxy-providers.ts'
import type { DomainKind, DomainState, TimelineKind } from '@masthead/contract/domains/states.ts'
import type { EventKind, EventType } from '@masthead/contract/events.ts'
import type { PlanName } from '@masthead/contract/plans.ts'
import type { HtmlHandling } from '@masthead/contract/project-settings.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { LabRecordType } from '@masthead/contract/schemas/lab.ts'
import type { Role } from '@masthead/contract/scopes.ts'
import type { Generated, GeneratedAlways } from 'kysely'
import type { CertificateTables } from './tables/certificate-tables.ts'
import type { MailTables } from './tables/mail-tables.ts'
import type { ProofTables } from './tables/proof-tables.ts'
import type { WebhookTables } from './tables/webhook-tables.ts'

/** Times are milliseconds since 1970, flags are 0 or 1, lists and objects are JSON text: the same in both databases. */
export interface Schema extends CertificateTables, MailTables, ProofTables, WebhookTables {
  accounts: {
    id: Id<'account'>
    name: string
    plan: PlanName
    limit_per_minute: number | null
    limit_per_day: number | null
    /** Maximum domains per project; null: unlimited. */
    limit_domains: number | null
    /** Bytes of files; null: as in the Business plan. */
    limit_storage: number | null
    created_at: number
    /** Set while suspended, with the reason shown to members. */
    suspended_at: number | null
    suspended_reason: string | null
    /** Set once only its activity remains. */
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
    /** The account used last; null: the person had none. */
    account_id: Id<'account'> | null
    created_at: number
    expires_at: number
    last_seen_at: number
    /** The client's address and browser name at the last use. */
    address: string | null
    browser: string | null
  }
  /**
   * At most one open link per person. `account_id`: the account whose owner created it; null: created by the operator.
   */
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
    /** The person responsible for it; null: unknown. */
    inviter_id: Id<'person'> | null
    created_at: number
    expires_at: number
  }
  keys: {
    id: Id<'key'>
    account_id: Id<'account'>
    /** Set for a personal key, which never has more scopes than the person's role. */
    person_id: Id<'person'> | null
    name: string
    scopes: string
    secret_hash: string
    hint: string
    created_at: number
    expires_at: number | null
    last_used_at: number | null
    /** All null: unknown. */
    created_by_kind: 'person' | 'key' | 'operator' | 'system' | null
    created_by_id: string | null
    created_by_name: string | null
    /** The person responsible for it: the key ends with their membership. */
    responsible_id: Id<'person'> | null
    /** The only project it can use; null: all. */
    project_id: Id<'project'> | null
    /** Set if a pipeline got it for its token. */
    publisher_id: Id<'publisher'> | null
    /** It can only go live while this is the production branch; empty: never; null: always. */
    live_branch: string | null
    /** The branch that its previews can be labelled with unless it can go live; empty or null: none. */
    preview_branch: string | null
  }
  /** Pipelines that can exchange their tokens for keys. */
  trusted_publishers: {
    id: Id<'publisher'>
    account_id: Id<'account'>
    project_id: Id<'project'>
    issuer: string
    /** JSON of the claims that a token must have. */
    claims: string
    created_at: number
    created_by: string
    last_used_at: number | null
    /** The person responsible for it: it ends with their membership. */
    responsible_id: Id<'person'> | null
  }
  /** Each token of a pipeline gets a key for a project once. */
  exchanged_tokens: { id: string; expires_at: number }
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
  /** Recent networks that a person signed in from. */
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
    immutable_assets: number
    /** In seconds; 0: never. */
    stale_while_revalidate: number
    /** A StoredProtection as JSON; null: none. */
    protection: string | null
    production_branch: string
    active_deployment_id: Id<'deployment'> | null
    created_at: number
    updated_at: number
    /** Set while taken down: visitors get this status and the reason. */
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
  events: {
    id: Id<'event'>
    account_id: Id<'account'>
    type: EventType
    /** The part of `type` before the dot. */
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
    kind: DomainKind
    state: DomainState
    /** The state to resume to; set while suspended. */
    state_before: DomainState | null
    /** 1: this account was the last to prove the name. At most one row per hostname. */
    held: number
    /** The first label of the CNAME target. */
    target: string
    /** The value of the TXT record that proves this claim. Changes when another account proves the name. */
    challenge: string
    /** How the account proved the apex; null: it did not, or the name needs no proof besides its CNAME. */
    proof: ApexProof | null
    /** The deadline for proving an apex that is served without proof. */
    proof_due_at: number | null
    /** When we last reminded the account of that. */
    proof_noticed_at: number | null
    /** The registrable domain: the public suffix and one label. */
    registrable: string | null
    created_at: number
    verified_at: number | null
    live_at: number | null
    /** Start of the 48 hours in which we look for records. */
    searching_since: number
    /** When a person last requested a check. Checks are frequent for a while after that. */
    asked_at: number
    state_since: number
    /** Null: not checked automatically. */
    next_check_at: number | null
    lease_owner: string | null
    lease_until: number
    /** JSON of the last check, as shown by the API. */
    last_check: string | null
    /** JSON of the last successful probe: our own request through the edge. */
    probe: string | null
    /** The branch that it shows; null: what is live. */
    branch: string | null
    /** The proxy or CDN that it is marked as being behind; null: none. */
    proxy: ProxyProvider | null
  }
  /** Removed domains: their account gets the same records again, any other must prove the name. */
  domain_tombstones: {
    hostname: string
    account_id: Id<'account'>
    target: string
    /** When the account proved the name; null: never. */
    held_at: number | null
    removed_at: number
  }
  /** Slugs of renamed or deleted projects: for a while only their account can reuse them. */
  released_slugs: { slug: string; account_id: Id<'account'>; released_at: number }
  domain_configs: {
    project_id: Id<'project'>
    /** Null: the default subdomain, whatever its slug. */
    primary_domain: string | null
    /** JSON of `{from, to, status}`; a null name is the default subdomain. */
    redirects: string
    updated_at: number
  }
  domain_timeline: {
    id: Id<'event'>
    account_id: Id<'account'>
    hostname: string
    /** 1: the account removed the domain. Shown again if it adds it again. */
    removed: number
    kind: TimelineKind
    at: number
    /** Repeated checks with the same result are counted in one entry. */
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
  /** One row. Its id stays the same in copies. */
  installation: { id: string; created_at: number }
  /** A known value, sealed: shows whether we have the right master key. */
  master_key_check: { id: string; sealed: string }
  /** The id that is stored with the files too. `written_at`: null until it is known to be there. */
  file_store: { id: string; store_id: string; written_at: number | null }
  /** Used with PostgreSQL only: with SQLite it is in the data folder. */
  operator_key: { id: string; sealed_key: string; created_at: number }
  /** Signs what visitors of protected sites carry. */
  site_key: { id: string; sealed_key: string; created_at: number }
  /** Each ticket lets a visitor in once. */
  used_tickets: { id: string; expires_at: number }
  /** Every running process, by the newest migration it knows. */
  live_versions: { id: string; newest_migration: string; seen_at: number; settings: string | null }
  lab_records: { name: string; type: LabRecordType; value_list: string; ttl: number }
  idempotency: {
    owner: string
    key: string
    fingerprint: string
    started_at: number
    /** The sealed response; null while the request runs. */
    answer: string | null
  }
  /** Admitted requests per UTC minute and day. After a restart, today's row is the account's daily count. */
  request_counts: { account_id: string; unit: 'minute' | 'day'; start: number; requests: number }
  /** The last ban of a key, kept until its step is back at zero. */
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
