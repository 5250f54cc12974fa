import type { Id } from '@masthead/contract/schemas/fields.ts'

/** Keys of accounts, and how programs get them. */
export interface KeyTables {
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
}
