import { DnsError } from './dns-error.ts'
import { type DnsRecord, type RecordType, recordCodes } from './dns-record.ts'
import { createNameReader, type NameAt, readRecordData } from './wire-format.ts'

export interface DnsMessage {
  id: number
  isResponse: boolean
  isAuthoritative: boolean
  /** If so, its records are not read. */
  isTruncated: boolean
  rcode: string
  /** Null if the message has none: some servers leave it out when they reply with an error. */
  question: { name: string; typeCode: number; isInternet: boolean } | null
  answers: DnsRecord[]
  authority: DnsRecord[]
  additional: DnsRecord[]
}

const headerLength = 12
const internet = 1
const optCode = 41
const typeByCode = new Map<number, RecordType>(
  Object.entries(recordCodes).map(([type, code]) => [code, type as RecordType]),
)
const rcodeNames = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED']

/**
 * Parses a message from an untrusted source. dns-packet also decodes, but trusts wrong lengths, reads beyond the end of
 * a record, and splits a label that contains a dot; here every step checks its bounds. Records of types that we never
 * ask for are skipped. Throws a DnsError.
 */
export function readMessage(message: Buffer): DnsMessage {
  if (message.length < headerLength) throw new DnsError('malformed', 'the message is shorter than its header')
  const flags = message.readUInt16BE(2)
  const [questions = 0, ...counts] = [4, 6, 8, 10].map((offset) => message.readUInt16BE(offset))
  if (questions > 1) throw new DnsError('malformed', 'the message has more than one question')

  const nameAt = createNameReader(message)
  let at = headerLength
  let question: DnsMessage['question'] = null
  if (questions === 1) {
    const { name, end } = nameAt(at)
    at = end + 4
    if (at > message.length) throw new DnsError('malformed', 'the question is cut off')
    question = {
      name,
      typeCode: message.readUInt16BE(end),
      isInternet: message.readUInt16BE(end + 2) === internet,
    }
  }

  const isTruncated = (flags & 0x0200) !== 0
  let extendedRcode = 0
  const [answers = [], authority = [], additional = []] = counts.map((count) => {
    const records: DnsRecord[] = []
    // May be cut off anywhere, so the records are useless.
    if (isTruncated) return records
    for (let left = count; left > 0; left--) {
      const found = readRecord(message, at, nameAt)
      if (found.record !== null) records.push(found.record)
      if (found.typeCode === optCode) extendedRcode = found.topOfTtl
      at = found.end
    }
    return records
  })
  const rcode = (extendedRcode << 4) | (flags & 0xf)
  return {
    id: message.readUInt16BE(0),
    isResponse: (flags & 0x8000) !== 0,
    isAuthoritative: (flags & 0x0400) !== 0,
    isTruncated,
    rcode: rcodeNames[rcode] ?? `RCODE${rcode}`,
    question,
    answers,
    authority,
    additional,
  }
}

function readRecord(message: Buffer, start: number, nameAt: NameAt) {
  const { name, end: fixed } = nameAt(start)
  const data = fixed + 10
  if (data > message.length) throw new DnsError('malformed', 'a record is cut off')
  const typeCode = message.readUInt16BE(fixed)
  const ttl = message.readUInt32BE(fixed + 4)
  const end = data + message.readUInt16BE(fixed + 8)
  if (end > message.length) throw new DnsError('malformed', 'the data of a record is cut off')

  const type = typeByCode.get(typeCode)
  const isKnown = type !== undefined && message.readUInt16BE(fixed + 2) === internet
  const record: DnsRecord | null = isKnown
    ? // A TTL with the top bit set counts as zero (RFC 2181, section 8).
      {
        name,
        type,
        ttl: ttl > 0x7fffffff ? 0 : ttl,
        ...readRecordData(type, message, { start: data, end, nameAt }),
      }
    : null
  // In an OPT record, the TTL field holds the upper bits of the response code (RFC 6891, section 6.1.3).
  return { record, typeCode, topOfTtl: ttl >>> 24, end }
}
