import type { Id } from '@masthead/contract/schemas/fields.ts'

/** People, and how they sign in. */
export interface PeopleTables {
  people: {
    id: Id<'person'>
    email: string
    name: string
    password_hash: string
    operator: number
    created_at: number
  }
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
  /** Recent networks that a person signed in from. */
  known_networks: { person_id: Id<'person'>; network: string; last_at: number }
  attempts: { subject: string; failures: number; last_at: number }
}
