import { DnsError } from '../dns-error.ts'
import { type RecordType, recordCodes } from '../dns-record.ts'
import { createNameReader, type NameAt } from '../wire-format.ts'
import type { ZoneQuestion } from './zone.ts'

/** A parsed DNS query. */
export interface Query extends ZoneQuestion {
  id: number
  /** RD and CD, which are copied into the reply. */
  flags: number
  /** The raw question, copied into the reply, because clients compare it byte for byte, capitals included. */
  raw: Buffer
  isInternet: boolean
  asksFor: 'records' | 'any' | 'transfer' | 'meta'
  /** Null without EDNS. */
  edns: Edns | null
}

export interface Edns {
  version: number
  /** The largest datagram the client accepts. */
  datagram: number
  /** The client understands DNSSEC. The bit is copied into the reply (RFC 3225, section 3). */
  wantsDnssec: boolean
}

/** A message that deserves an error, but whose question cannot be repeated. */
export interface BadQuery {
  id: number
  /** Opcode and RD. */
  flags: number
  rcode: 'FORMERR' | 'NOTIMP'
}

export const headerLength = 12
/** Real queries are a fraction of this. */
export const longestQuery = 1_024
const internet = 1
const optCode = 41
const copiedFlags = 0x0110
const opcodeBits = 0x7800
const types = new Map<number, RecordType>(
  Object.entries(recordCodes).map(([type, code]) => [code, type as RecordType]),
)
const questionTypes: Readonly<Record<number, Query['asksFor']>> = {
  [optCode]: 'meta',
  251: 'transfer',
  252: 'transfer',
  255: 'any',
}

/** Null for what gets no reply at all: noise and replies, so that two servers never answer each other. */
export function readQuery(message: Buffer): Query | BadQuery | null {
  if (message.length < headerLength || message.length > longestQuery) return null
  const bits = message.readUInt16BE(2)
  const isReply = (bits & 0x8000) !== 0
  if (isReply) return null
  const head = { id: message.readUInt16BE(0), flags: bits & (opcodeBits | 0x0100) }
  if ((bits & opcodeBits) !== 0) return { ...head, rcode: 'NOTIMP' }
  try {
    return parse(message, bits & copiedFlags)
  } catch (error) {
    if (error instanceof DnsError) return { ...head, rcode: 'FORMERR' }
    throw error
  }
}

function parse(message: Buffer, flags: number): Query {
  const authority = message.readUInt16BE(8)
  const additional = message.readUInt16BE(10)
  const hasOneQuestion = message.readUInt16BE(4) === 1 && message.readUInt16BE(6) === 0
  if (!hasOneQuestion) throw new DnsError('malformed', 'not one question')
  const nameAt = createNameReader(message)
  const { name, end } = nameAt(headerLength)
  if (end !== endOfLabels(message)) throw new DnsError('malformed', 'the question has a pointer')
  if (end + 4 > message.length) throw new DnsError('malformed', 'the question is cut off')
  const code = message.readUInt16BE(end)
  const asksFor = questionTypes[code] ?? (code >= 128 && code <= 255 ? 'meta' : 'records')
  // A request for the changes since a version of the zone names that version there.
  if (authority !== 0 && asksFor !== 'transfer') throw new DnsError('malformed', 'a query with records')
  return {
    id: message.readUInt16BE(0),
    flags,
    name,
    type: types.get(code) ?? null,
    raw: message.subarray(headerLength, end + 4),
    isInternet: message.readUInt16BE(end + 2) === internet,
    asksFor,
    edns: readEdns(message, { start: end + 4, records: authority + additional, nameAt }),
  }
}

/** Where the name of the question ends if it is written out, which no reply could otherwise repeat. */
function endOfLabels(message: Buffer): number {
  let at = headerLength
  for (let length = message[at] ?? 0; length !== 0; length = message[at] ?? 0) {
    if (length > 63) return -1
    at += 1 + length
  }
  return at + 1
}

/** RFC 6891, section 6.1.2: at most one, owned by the root, with the size in its class and the rest in its TTL. */
function readEdns(
  message: Buffer,
  { start, records, nameAt }: { start: number; records: number; nameAt: NameAt },
): Edns | null {
  let at = start
  let edns: Edns | null = null
  for (let left = records; left > 0; left--) {
    const { name, end } = nameAt(at)
    if (end + 10 > message.length) throw new DnsError('malformed', 'a record is cut off')
    at = end + 10 + message.readUInt16BE(end + 8)
    if (at > message.length) throw new DnsError('malformed', 'the data of a record is cut off')
    if (message.readUInt16BE(end) !== optCode) continue
    if (edns !== null || name !== '') throw new DnsError('malformed', 'the OPT record is invalid')
    edns = {
      datagram: message.readUInt16BE(end + 2),
      version: message.readUInt8(end + 5),
      wantsDnssec: (message.readUInt8(end + 6) & 0x80) !== 0,
    }
  }
  if (at !== message.length) throw new DnsError('malformed', 'something follows the last record')
  return edns
}
