import { day } from '../kernel/clock.ts'
import type { JobRow } from './jobs/job.ts'
import type { CertificateRow } from './store.ts'

export function certificateRow(name: string, some: Partial<CertificateRow> = {}): CertificateRow {
  const at = some.not_before ?? Date.UTC(2030, 0, 1)
  return {
    name,
    issuer_kind: 'acme',
    issuer: 'https://ca.example/directory',
    serial: '01',
    chain: 'a chain',
    sealed_key: 'a sealed key',
    not_before: at,
    not_after: at + 90 * day,
    installed_at: at,
    renew_at: at + 60 * day,
    check_at: at + 60 * day,
    ari_id: null,
    ari_start: null,
    ari_end: null,
    ari_checked_at: null,
    issuer_title: null,
    passed_over: null,
    ...some,
  }
}

/** A job whose attempts failed once, and that is not due. */
export function waitingJob(name: string): JobRow {
  return {
    name,
    reason: 'first',
    ...{ issuer: null, order_url: null, sealed_key: null, replaces: null, challenge_kind: 'http-01' },
    ...{ attempts: 1, rung: 1, problem_kind: null, last_error: null, next_attempt_at: null },
    ...{ asked_at: 0, lease_owner: null, lease_until: 0, created_at: 0, generation: 0 },
    ...{ account_id: null, priority: 0 },
  }
}
