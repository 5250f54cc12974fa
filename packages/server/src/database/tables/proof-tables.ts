import type { ProofState } from '@masthead/contract/domains/proofs.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'

export interface ProofTables {
  /** Whole domains that accounts have proved or want to prove. */
  domain_proofs: {
    account_id: Id<'account'>
    domain: string
    state: ProofState
    /** 1: the account owns the domain and everything below it. At most one row per domain. */
    stands: number
    /** The value of the TXT record. Changes when the proof ends or another account proves the domain. */
    token: string
    created_at: number
    proved_at: number | null
    /** When the record was last in DNS. */
    seen_at: number | null
    state_since: number
    /** Null: not checked automatically. */
    next_check_at: number | null
    /** No other worker checks it before. */
    lease_until: number
    /** JSON of the last check, as shown by the API. */
    last_check: string | null
  }
}
