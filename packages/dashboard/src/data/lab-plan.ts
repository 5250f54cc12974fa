import type { RequiredDnsRecord } from '@masthead/contract/schemas/domain.ts'
import type { LabRecord, LabRecordType } from '@masthead/contract/schemas/lab.ts'

export interface LabPlan {
  remove: { name: string; type: LabRecordType }[]
  set: { name: string; type: LabRecordType; values: string[] }[]
}

/** Those of which a name has one kind: they all say where it leads. */
const leading: readonly LabRecordType[] = ['A', 'AAAA', 'CNAME', 'ALIAS']

/** How the lab's DNS comes to hold what is asked for: first what is in the way goes, then the record is set. */
export function labPlan(wanted: readonly RequiredDnsRecord[], held: readonly LabRecord[]): LabPlan {
  const plan: LabPlan = { remove: [], set: [] }
  for (const { purpose, type, fqdn, value } of wanted) {
    const here = held.filter(({ name }) => name === fqdn)
    if (purpose === 'routing') {
      const inTheWay = here.filter((record) => record.type !== type && leading.includes(record.type))
      plan.remove.push(...inTheWay.map(({ name, type }) => ({ name, type })))
      plan.set.push({ name: fqdn, type, values: [value] })
      continue
    }
    // Other proofs may stand beside ours.
    const others = here.filter((record) => record.type === type).flatMap(({ values }) => values)
    plan.set.push({ name: fqdn, type, values: [...new Set([...others, value])] })
  }
  return plan
}
