import type { DnsRecordWanted } from '@masthead/contract/schemas/domain.ts'
import { printableText } from '../../printable-text.ts'
import { uncheckedRecords } from '../records.ts'
import type { Evidence } from './evidence.ts'
import { isAmong } from './proof.ts'

const mostTexts = 10

/** The records to set, with what is there instead. */
export function checkedRecords(evidence: Evidence): DnsRecordWanted[] {
  return uncheckedRecords(evidence.wanted, evidence.zone).map((record) => ({
    ...record,
    ...(record.purpose === 'routing' ? routing(evidence) : ownership(evidence, record.value)),
  }))
}

type Status = Pick<DnsRecordWanted, 'status' | 'observed'>

function routing({ answers, seen, allRight }: Evidence): Status {
  if (answers.length === 0) return { status: 'unchecked', observed: [] }
  if (allRight) return { status: 'ok', observed: seen }
  return { status: seen.length === 0 ? 'missing' : 'wrong', observed: seen }
}

/** TTLs of the TXT records are not kept. */
function ownership({ observation: { challenge } }: Evidence, value: string): Status {
  if (challenge === null) return { status: 'unchecked', observed: [] }
  const observed = challenge
    .slice(0, mostTexts)
    .map((text) => ({ type: 'TXT', value: printableText(text, 300), ttl: 0 }))
  if (isAmong(challenge, value)) return { status: 'ok', observed }
  return { status: challenge.length === 0 ? 'missing' : 'wrong', observed }
}
