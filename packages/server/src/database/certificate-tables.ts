/** Certificates, how they are got, and what is left of the CA's limits. */
export interface CertificateTables {
  certificates: {
    name: string
    issuer_kind: 'internal' | 'acme'
    /** `internal`, or the URL of the ACME directory. */
    issuer: string
    serial: string
    chain: string
    sealed_key: string
    not_before: number
    not_after: number
    installed_at: number
    renew_at: number
    /** When to look at it next: to ask the CA when to renew it, or to renew it. Null while a job does that. */
    check_at: number | null
    /** What the CA calls it when it was asked when to renew it (RFC 9773), and what it answered. */
    ari_id: string | null
    ari_start: number | null
    ari_end: number | null
    ari_checked_at: number | null
  }
  /** Certificates that are being got, one flight a name over all processes. */
  certificate_jobs: {
    name: string
    reason: 'first' | 'renewal' | 'asked'
    /** Whose order it is; with it the order's URL and the key that the certificate is for. */
    issuer: string | null
    order_url: string | null
    sealed_key: string | null
    /** How control of the name is proved next. */
    challenge_kind: 'http-01' | 'tls-alpn-01'
    /** The `ari_id` of the certificate that is renewed. */
    replaces: string | null
    attempts: number
    /** How many of the last attempts failed in the same way. */
    rung: number
    problem_kind: string | null
    /** JSON of what went wrong last, as the API shows it. */
    last_error: string | null
    /** Null: refused for good, until somebody asks again. */
    next_attempt_at: number | null
    asked_at: number
    lease_owner: string | null
    lease_until: number
    created_at: number
    /** One higher each time somebody asks for it: an attempt sees by it whether somebody did meanwhile. */
    generation: number
    /** Whose share of the CA's limits it uses; null: the operator's own. */
    account_id: string | null
    /** 0 is first: see `jobPriorities`. */
    priority: number
  }
  acme_challenges: {
    token: string
    name: string
    kind: 'http-01' | 'tls-alpn-01'
    key_authorization: string
    expires_at: number
  }
  /** No URL: the key is to be registered, perhaps again. */
  acme_accounts: { directory: string; url: string | null; sealed_key: string; created_at: number }
  /** Orders of the last days: the budget of the CA's limits is counted from them. */
  issuance_log: {
    id: string
    directory: string
    registered_domain: string
    name: string
    at: number
    /** Open until it is one of the others. A refused one was never an order. */
    outcome: 'ordered' | 'issued' | 'failed' | 'abandoned' | 'refused'
    /** 1: the CA does not count it. */
    exempt: number
    /** For whose name; null: the operator's own. */
    account_id: string | null
  }
  /** What is left of the CA's limits, each a token bucket. One that is full has no row. */
  issuance_buckets: { directory: string; bucket: string; full_at: number; last_full_at: number }
}
