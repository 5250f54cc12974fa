import { DnsError } from '../dns/dns-error.ts'
import { type RecordType, recordCodes } from '../dns/dns-record.ts'
import { readName } from '../dns/wire-format.ts'
import type { ZoneQuestion } from './zone.ts'

/** A parsed DNS query. */
export interface Query extends ZoneQuestion {
  id: number
  /** RD and CD, which are copied into the reply. */
  flags: number
  /** The raw question, copied into the reply, because clients compare it byte for byte. */
  raw: Buffer
  isInternet: boolean
  /** Queries for zone transfers or ANY instead of records. */
  isMeta: boolean
  /** The largest datagram the client accepts; null without EDNS. */
  datagram: number | null
}

const headerLength = 12
/** Real queries are a fraction of this. */
export const longestQuery = 1_024
const internet = 1
const optCode = 41
const copiedFlags = 0x0110
const types = Object.keys(recordCodes) as RecordType[]

/** Null for anything but one standard query. Such messages get no reply, so that two servers never loop. */
export function readQuery(message: Buffer): Query | null {
  try {
    return parse(message)
  } catch (error) {
    if (error instanceof DnsError) return null
    throw error
  }
}

function parse(message: Buffer): Query | null {
  if (message.length < headerLength || message.length > longestQuery) return null
  const flags = message.readUInt16BE(2)
  const isStandardQuery = (flags & 0xf800) === 0
  const [questions, answers, authority, additional = 0] = [4, 6, 8, 10].map((at) => message.readUInt16BE(at))
  if (!isStandardQuery || questions !== 1 || answers !== 0 || authority !== 0) return null

  const { name, end } = readName(message, headerLength)
  if (end + 4 > message.length) return null
  const code = message.readUInt16BE(end)
  return {
    id: message.readUInt16BE(0),
    flags: flags & copiedFlags,
    name,
    type: types.find((type) => recordCodes[type] === code) ?? null,
    raw: message.subarray(headerLength, end + 4),
    isInternet: message.readUInt16BE(end + 2) === internet,
    isMeta: code >= 249 && code <= 255,
    datagram: readDatagramSize(message, end + 4, additional),
  }
}

/** EDNS stores the size in the class field of the OPT record: RFC 6891, section 6.1.2. */
function readDatagramSize(message: Buffer, start: number, records: number): number | null {
  let at = start
  for (let left = records; left > 0; left--) {
    const { end } = readName(message, at)
    if (end + 10 > message.length) throw new DnsError('malformed', 'a record is cut off')
    if (message.readUInt16BE(end) === optCode) return message.readUInt16BE(end + 2)
    at = end + 10 + message.readUInt16BE(end + 8)
  }
  return null
}
