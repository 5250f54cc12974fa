import { day } from '../kernel/clock.ts'
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
