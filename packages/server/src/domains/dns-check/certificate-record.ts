import type {
  Finding,
  RecordChange,
  RequiredDnsRecord,
} from '@masthead/contract/schemas/domains/dns-check.ts'
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
  return {
    ...checked,
    records,
    check: {
      ...check,
      changes: [...check.changes, ...changesFor(record)],
      findings: record.status === 'ok' ? check.findings : [...check.findings, missing(record, hostname)],
    },
  }
}

/** A name has one CNAME, and nothing beside it. */
function changesFor({ type, name, fqdn, value, ttl, status, observed }: RequiredDnsRecord): RecordChange[] {
  const at = { name, fqdn }
  const others = observed.filter((record) => record.type !== 'CNAME')
  const names = observed.filter((record) => record.type === 'CNAME').map((record) => record.value)
  // If one server has it, the zone is right: the others have to catch up.
  const isThere = status === 'ok' || names.includes(value)
  const [from = null] = names
  return [
    ...others.map((record): RecordChange => {
      return { ...at, action: 'remove', type: record.type, from: record.value, to: null, ttl: record.ttl }
    }),
    isThere
      ? { ...at, action: 'keep', type, from: value, to: value, ttl }
      : { ...at, action: from === null ? 'add' : 'change', type, from, to: value, ttl },
  ]
}

function missing(record: RequiredDnsRecord, hostname: string): Finding {
  const { type, name, fqdn, value, ttl } = record
  return finding('delegation_missing', {
    message: `${fqdn} does not lead to us, so we cannot get a certificate for ${hostname}.`,
    fix: `${steps()} If you have a certificate for ${hostname}, you can upload it instead.`,
    records: [{ type, fqdn, value }],
  })

  function steps(): string {
    const changes = changesFor(record)
    const set = `name ${name}, value ${value}, TTL ${ttl}`
    const removed = changes.filter(({ action }) => action === 'remove')
    const last = changes.at(-1)
    if (last?.action === 'keep')
      return `Some nameservers do not have the CNAME record of ${fqdn} yet. If they do not get it, contact your DNS provider.`
    if (last?.action === 'change')
      return `Change the CNAME record: name ${name}, value ${value} instead of ${last.from}, TTL ${ttl}.`
    if (removed.length === 0) return `Add a CNAME record: ${set}.`
    return `Remove the TXT records at ${name}, which cannot be beside a CNAME record. Then add one: ${set}.`
  }
}
