import type { Schema } from '../../database/schema.ts'

/** Whether a table's rows belong to an installation. `only`: an SQL condition on the rows that do. */
type TableContent =
  | { rows: 'all' }
  | { rows: 'only'; only: string; why: string }
  | { rows: 'none'; why: string }

/**
 * Every table, those that others refer to first. Leases are copied as they are: they end within minutes, and nobody
 * else holds them until then.
 */
export const tableContents: Readonly<Record<keyof Schema, TableContent>> = {
  accounts: { rows: 'all' },
  people: { rows: 'all' },
  members: { rows: 'all' },
  sessions: { rows: 'all' },
  password_resets: { rows: 'all' },
  setup_links: { rows: 'all' },
  invitations: { rows: 'all' },
  keys: { rows: 'all' },
  logins: { rows: 'all' },
  known_networks: { rows: 'all' },
  attempts: { rows: 'all' },
  projects: { rows: 'all' },
  trusted_publishers: { rows: 'all' },
  exchanged_tokens: { rows: 'all' },
  deployments: { rows: 'all' },
  archive_files: { rows: 'all' },
  blobs: { rows: 'all' },
  discarded_manifests: { rows: 'all' },
  storage: { rows: 'all' },
  events: { rows: 'all' },
  notices: { rows: 'all' },
  notice_queues: { rows: 'all' },
  webhooks: { rows: 'all' },
  webhook_outbox: { rows: 'all' },
  webhook_deliveries: { rows: 'all' },
  webhook_queues: { rows: 'all' },
  changes: { rows: 'none', why: 'tells running servers what changed; only its counter goes on' },
  domains: { rows: 'all' },
  domain_tombstones: { rows: 'all' },
  domain_proofs: { rows: 'all' },
  released_slugs: { rows: 'all' },
  domain_configs: { rows: 'all' },
  unfinished_plan_changes: { rows: 'all' },
  domain_timeline: { rows: 'all' },
  internal_ca: { rows: 'all' },
  ticket_keys: { rows: 'all' },
  installation: { rows: 'all' },
  master_key_check: { rows: 'all' },
  file_store: { rows: 'none', why: 'where this database has its files; a copy has its own' },
  operator_key: { rows: 'all' },
  site_key: { rows: 'all' },
  used_tickets: { rows: 'all' },
  live_versions: { rows: 'none', why: 'the processes that use this database now' },
  lab_records: { rows: 'all' },
  idempotency: {
    rows: 'only',
    only: 'answer is not null',
    why: 'a request without an answer ended with its server; a retry must run',
  },
  request_counts: { rows: 'all' },
  bans: { rows: 'all' },
  certificates: { rows: 'all' },
  own_certificates: { rows: 'all' },
  certificate_jobs: { rows: 'all' },
  acme_challenges: { rows: 'all' },
  acme_accounts: { rows: 'all' },
  issuance_log: { rows: 'all' },
  issuance_buckets: { rows: 'all' },
}

export interface CopiedTable {
  name: string
  /** SQL that is true for the rows that are copied. */
  condition: string
}

export const copiedTables: readonly CopiedTable[] = Object.entries(tableContents).flatMap(
  ([name, content]) =>
    content.rows === 'none' ? [] : [{ name, condition: content.rows === 'only' ? content.only : 'true' }],
)
