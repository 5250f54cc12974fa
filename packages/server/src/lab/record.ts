import type { LabRecord, LabRecordType } from '@masthead/contract/schemas/lab.ts'
import { isWithin } from '../dns/domain-name.ts'
import { Problem } from '../kernel/problem.ts'
import { hasMisplacedWildcard, parseRecordName, readValue } from './record-fields.ts'
import { type LabNaming, labHome, labRoot, zoneApex } from './zone.ts'

interface Fault {
  path: string
  message: string
}

const maxValueBytes = 4_096
const single: ReadonlySet<LabRecordType> = new Set(['CNAME', 'ALIAS'])

/** The record in the form that is kept. */
export function readRecord(input: LabRecord, naming: LabNaming): LabRecord {
  const { type, ttl } = input
  const name = parseRecordName(input.name)
  const faults: Fault[] = []
  const nameFault = nameIssue(name, naming)
  if (nameFault !== null) faults.push({ path: 'name', message: nameFault })
  const values = new Set<string>()
  input.values.forEach((typed, i) => {
    const read = readValue(type, typed)
    if ('value' in read) values.add(read.value)
    else faults.push({ path: `values.${i}`, message: read.fault })
  })
  if (single.has(type) && values.size > 1) {
    faults.push({ path: 'values', message: `must be one: a name has one ${type}` })
  }
  if (Buffer.byteLength([...values].join('')) > maxValueBytes) {
    faults.push({ path: 'values', message: `must have at most ${maxValueBytes} bytes together` })
  }
  if (name === null || faults.length > 0) throw refusal(`The ${type} record cannot be set.`, faults)
  return { name, type, values: [...values], ttl }
}

/**
 * Refuses what real providers refuse too: a CNAME stands alone, and an ALIAS stands in for addresses. The refusal
 * carries the commands that make way.
 */
export function refuseConflict({ name, type }: LabRecord, present: readonly LabRecordType[]): void {
  if (type === 'CNAME' && name === zoneApex(name)) {
    throw recordConflict(`${name} is the domain itself and cannot have a CNAME. Set an ALIAS instead.`)
  }
  const others = present.filter((held) => !canCoexist(held, type))
  if (others.length === 0) return
  const removals = others.map((other) => `masthead lab remove ${name} ${other}`)
  throw recordConflict(
    `${name} has a record of type ${others.join(' and ')}, beside which ${type} cannot stand. ` +
      `Remove that first: ${removals.join('; ')}`,
  )
}

function canCoexist(held: LabRecordType, type: LabRecordType): boolean {
  if (held === type) return true
  const both = [held, type]
  if (both.includes('CNAME')) return false
  return !(both.includes('ALIAS') && (both.includes('A') || both.includes('AAAA')))
}

function nameIssue(name: string | null, { platformDomain }: LabNaming): string | null {
  if (name === null || hasMisplacedWildcard(name)) return `must be a name such as www.acme.${labRoot}`
  if (name === labRoot || !isWithin(name, labRoot)) return `must lie under .${labRoot}`
  if (isWithin(name, platformDomain))
    return `must not lie under ${platformDomain}, which is the platform's own`
  if (isWithin(name, labHome)) return `must not lie under ${labHome}, where the lab itself lives`
  return null
}

const recordConflict = (message: string) => refusal(message, [{ path: 'type', message }])

export function refusal(detail: string, errors: Fault[]): Problem {
  return new Problem('lab_record_invalid', detail, { extra: { errors } })
}
