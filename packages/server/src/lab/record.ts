import { shellName } from '@masthead/contract/domains/shell-name.ts'
import type { LabRecord, LabRecordType } from '@masthead/contract/schemas/lab.ts'
import { isWithin } from '../dns/domain-name.ts'
import { Problem } from '../kernel/problem.ts'
import { hasMisplacedWildcard, parseRecordName, readValue } from './record-fields.ts'
import { type LabNaming, labHome, labRoot, zoneApex } from './zone.ts'

interface RecordError {
  path: string
  message: string
}

const maxValueBytes = 4_096
const single: ReadonlySet<LabRecordType> = new Set(['CNAME', 'ALIAS'])

/** Validates and normalizes a record. */
export function readRecord(input: LabRecord, naming: LabNaming): LabRecord {
  const { type, ttl } = input
  const name = parseRecordName(input.name)
  const errors: RecordError[] = []
  const nameError = nameIssue(name, naming)
  if (nameError !== null) errors.push({ path: 'name', message: nameError })
  const values = new Set<string>()
  input.values.forEach((typed, i) => {
    const read = readValue(type, typed)
    if ('value' in read) values.add(read.value)
    else errors.push({ path: `values.${i}`, message: read.error })
  })
  if (single.has(type) && values.size > 1) {
    errors.push({ path: 'values', message: `must be a single value: a name has only one ${type}` })
  }
  if (Buffer.byteLength([...values].join('')) > maxValueBytes) {
    errors.push({ path: 'values', message: `must have at most ${maxValueBytes} bytes together` })
  }
  if (name === null || errors.length > 0) throw refusal(`The ${type} record is invalid.`, errors)
  return { name, type, values: [...values], ttl }
}

/**
 * Rejects what real providers reject: a CNAME must be the only record, and an ALIAS replaces addresses. The error
 * includes the commands that resolve the conflict.
 */
export function refuseConflict({ name, type }: LabRecord, present: readonly LabRecordType[]): void {
  if (type === 'CNAME' && name === zoneApex(name)) {
    throw recordConflict(`${name} is the domain itself and cannot have a CNAME. Set an ALIAS instead.`)
  }
  const others = present.filter((held) => !canCoexist(held, type))
  if (others.length === 0) return
  const removals = others.map((other) => `masthead lab remove ${shellName(name)} ${other}`)
  throw recordConflict(
    `${name} already has a record of type ${others.join(' and ')}, which conflicts with ${type}. ` +
      `Remove it first: ${removals.join('; ')}`,
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
  if (name === labRoot || !isWithin(name, labRoot)) return `must be under .${labRoot}`
  if (isWithin(name, platformDomain))
    return `must not be under ${platformDomain}, which belongs to the platform`
  if (isWithin(name, labHome)) return `must not be under ${labHome}, which belongs to the lab itself`
  return null
}

const recordConflict = (message: string) => refusal(message, [{ path: 'type', message }])

export function refusal(detail: string, errors: RecordError[]): Problem {
  return new Problem('lab_record_invalid', detail, { extra: { errors } })
}
