import type { Id } from '@masthead/contract/schemas/fields.ts'

/** Certificates, the jobs that get them, what remains of the CA's rate limits, and the internal CA. */
export interface CertificateTables {
  certificates: {
    name: string
    issuer_kind: 'internal' | 'acme' | 'own'
    /** `internal`, `own`, or the URL of the ACME directory. */
    issuer: string
    serial: string
    chain: string
    sealed_key: string
    not_before: number
    not_after: number
    installed_at: number
    renew_at: number
    /** When to check it next: to ask the CA for its renewal window, or to renew it. Null while a job does that. */
    check_at: number | null
    /** Its ARI identifier and the renewal window that the CA suggested (RFC 9773). */
    ari_id: string | null
    ari_start: number | null
    ari_end: number | null
    ari_checked_at: number | null
    /** Who signed a certificate that its owner uploaded; null for the others. */
    issuer_title: string | null
    /** JSON of the authorities that could not issue it, and why; null: none was passed over. */
    passed_over: string | null
  }
  /** Certificates that accounts uploaded for their domains, in use while the account holds the name. */
  own_certificates: {
    domain_id: Id<'domain'>
    chain: string
    sealed_key: string
    serial: string
    issuer_title: string
    /** JSON. */
    names: string
    trusted: number
    not_before: number
    not_after: number
    uploaded_at: number
    /** When to warn next that it expires; null: not again. */
    warn_at: number | null
  }
  /** Certificates in progress: one job per name across all processes. */
  certificate_jobs: {
    name: string
    reason: 'first' | 'renewal' | 'asked'
    /** The CA of the order, the order's URL, and the key of the new certificate. */
    issuer: string | null
    order_url: string | null
    sealed_key: string | null
    /** The challenge to use next. */
    challenge_kind: 'http-01' | 'tls-alpn-01'
    /** The `ari_id` of the certificate to renew. */
    replaces: string | null
    attempts: number
    /** How many of the latest attempts failed in the same way. */
    rung: number
    problem_kind: string | null
    /** JSON of the last error, as shown by the API. */
    last_error: string | null
    /** Null: failed for good, until somebody retries it. */
    next_attempt_at: number | null
    asked_at: number
    lease_owner: string | null
    lease_until: number
    created_at: number
    /** Increases whenever the certificate is requested, so that an attempt notices requests made meanwhile. */
    generation: number
    /** The account whose share of the CA's limits it uses; null: the operator's. */
    account_id: string | null
    /** Lowest first: see `jobPriorities`. */
    priority: number
  }
  acme_challenges: {
    token: string
    name: string
    kind: 'http-01' | 'tls-alpn-01' | 'dns-01'
    key_authorization: string
    expires_at: number
    /** Where our DNS answers a dns-01 challenge: below `acme.{platform}`. */
    label: string | null
  }
  /** Without a URL, the key has to be registered (again). */
  acme_accounts: { directory: string; url: string | null; sealed_key: string; created_at: number }
  /** Recent orders, which count against the CA's limits. */
  issuance_log: {
    id: string
    directory: string
    registered_domain: string
    name: string
    at: number
    /** `ordered` is still open. `refused` never became an order. */
    outcome: 'ordered' | 'issued' | 'failed' | 'abandoned' | 'refused'
    /** 1: does not count against the CA's limits. */
    exempt: number
    /** The account that has the name; null: the operator. */
    account_id: string | null
  }
  /** The CA's limits as token buckets. A full bucket has no row. */
  issuance_buckets: { directory: string; bucket: string; full_at: number; last_full_at: number }
  internal_ca: { id: string; certificate: string; sealed_key: string; created_at: number }
  ticket_keys: { id: string; sealed_key: string; created_at: number }
}
