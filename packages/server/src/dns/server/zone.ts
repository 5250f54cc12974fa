import type { DnsRecord, RecordType } from '../dns-record.ts'

export interface ZoneQuestion {
  /** Lower-case, without the final dot. */
  name: string
  /** Null for a type that we never have records of. */
  type: RecordType | null
}

/** Values are written as in a zone file. */
export type ZoneRecord = Pick<DnsRecord, 'name' | 'type' | 'ttl' | 'value'>

export interface ZoneAnswer {
  rcode: 'NOERROR' | 'NXDOMAIN' | 'REFUSED'
  answers: ZoneRecord[]
  authority: ZoneRecord[]
  additional: ZoneRecord[]
}

/** Not a name of ours. */
export const refusedAnswer: ZoneAnswer = { rcode: 'REFUSED', answers: [], authority: [], additional: [] }
