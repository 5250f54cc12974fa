import type { DnsCheck, DnsRecordWanted, RecordChange } from '@masthead/contract/schemas/domain.ts'

/** What is in the way goes first: many providers refuse the new record as long as the old one stands. */
const order: readonly RecordChange['action'][] = ['remove', 'change', 'add', 'keep']

/** What to do in DNS, in the order in which to do it; before the first look, as if nothing were there. */
export function changesToShow(check: DnsCheck | null, records: readonly DnsRecordWanted[]): RecordChange[] {
  const changes = check === null || check.changes.length === 0 ? records.map(wanted) : check.changes
  return changes.toSorted((one, other) => order.indexOf(one.action) - order.indexOf(other.action))
}

export function toDo(check: DnsCheck | null, records: readonly DnsRecordWanted[]): RecordChange[] {
  return changesToShow(check, records).filter(({ action }) => action !== 'keep')
}

function wanted({ type, name, fqdn, value, ttl, status }: DnsRecordWanted): RecordChange {
  const kept = status === 'ok'
  return { action: kept ? 'keep' : 'add', type, name, fqdn, from: kept ? value : null, to: value, ttl }
}

/** The addresses to set where a provider has no record that leads an apex to a name; none where that is not asked. */
export function addressesInstead(
  changes: readonly RecordChange[],
  records: readonly DnsRecordWanted[],
): DnsRecordWanted['alternatives'] {
  const asksForName = changes.some(
    ({ action, type }) => action !== 'keep' && (type === 'ALIAS' || type === 'ANAME'),
  )
  return asksForName ? records.flatMap(({ alternatives }) => alternatives) : []
}
