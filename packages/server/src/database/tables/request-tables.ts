/** What API requests leave behind: answers to repeat, counts and bans. */
export interface RequestTables {
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
