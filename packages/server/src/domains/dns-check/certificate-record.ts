import type { RecordChange, RequiredDnsRecord } from '@masthead/contract/schemas/domain.ts'
import type { StoredCheck } from '../domain.ts'
import { finding } from './findings/finding.ts'

/** A check with the record for the certificate of a wildcard among the others, and with what to do if it is missing. */
export function withCertificateRecord(
  checked: StoredCheck,
  record: RequiredDnsRecord,
  hostname: string,
): StoredCheck {
  const { check } = checked
  const records = [...checked.records, record]
  if (record.status === 'unchecked') return { ...checked, records }
  const { type, name, fqdn, value, ttl } = record
  const isThere = record.status === 'ok'
  const change: RecordChange = {
    ...{ type, name, fqdn, ttl, to: value },
    ...(isThere ? { action: 'keep', from: value } : { action: 'add', from: null }),
  }
  const missing = finding('delegation_missing', {
    message: `${fqdn} does not lead to us, so we cannot get a certificate for ${hostname}.`,
    fix:
      `Add a CNAME record: name ${name}, value ${value}, TTL ${ttl}. If you have a certificate for ${hostname}, ` +
      'you can upload it instead.',
    records: [{ type, fqdn, value }],
  })
  return {
    ...checked,
    records,
    check: {
      ...check,
      changes: [...check.changes, change],
      findings: isThere ? check.findings : [...check.findings, missing],
    },
  }
}
