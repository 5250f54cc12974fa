import type { RequiredDnsRecord } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { LabRecord, LabRecordType } from '@masthead/contract/schemas/lab.ts'

export interface LabPlan {
  remove: { name: string; type: LabRecordType }[]
  set: { name: string; type: LabRecordType; values: string[] }[]
}

/** A name has only one of these types: each says where it points. */
const routingTypes: readonly LabRecordType[] = ['A', 'AAAA', 'CNAME', 'ALIAS']

/** The changes that give the lab's DNS the required records: conflicting ones go first. */
export function labPlan(wanted: readonly RequiredDnsRecord[], held: readonly LabRecord[]): LabPlan {
  const plan: LabPlan = { remove: [], set: [] }
  for (const { purpose, type, fqdn, value } of wanted) {
    const here = held.filter(({ name }) => name === fqdn)
    if (purpose !== 'ownership') {
      const inTheWay = here.filter((record) => record.type !== type && routingTypes.includes(record.type))
      plan.remove.push(...inTheWay.map(({ name, type }) => ({ name, type })))
      plan.set.push({ name: fqdn, type, values: [value] })
      continue
    }
    // Keep the ownership records of others.
    const others = here.filter((record) => record.type === type).flatMap(({ values }) => values)
    plan.set.push({ name: fqdn, type, values: [...new Set([...others, value])] })
  }
  return plan
}
