import type { ApexProof } from '@masthead/contract/domains/proofs.ts'
import type { ProxyProvider } from '@masthead/contract/domains/proxy-providers.ts'
import type { DomainKind, DomainState, TimelineKind } from '@masthead/contract/domains/states.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { LabRecordType } from '@masthead/contract/schemas/lab.ts'

/** Domains of projects, and the records of the lab. */
export interface DomainTables {
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
  lab_records: { name: string; type: LabRecordType; value_list: string; ttl: number }
}
