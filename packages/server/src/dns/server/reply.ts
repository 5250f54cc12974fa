import { largestDatagram } from '../ask.ts'
import { MessageWriter } from './message-writer.ts'
import { type BadQuery, headerLength, type Query } from './query.ts'
import type { ZoneAnswer } from './zone.ts'

export type ReplyContent = ZoneAnswer | { rcode: 'SERVFAIL' | 'NOTIMP' | 'REFUSED' | 'BADVERS' }
export type Rcode = ReplyContent['rcode'] | BadQuery['rcode']

const rcodes: Readonly<Record<Rcode, number>> = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  BADVERS: 16,
}
const isReply = 0x8000
const isAuthoritative = 0x0400
const isTruncated = 0x0200
const smallestDatagram = 512
const optCode = 41
const hinfoCode = 13
const hinfoTtl = 3_600

/** The reply as one datagram, truncated if it does not fit, so that the client retries over TCP. */
export function datagramReply(query: Query, content: ReplyContent): Buffer {
  const whole = streamReply(query, content)
  const room = Math.min(Math.max(query.edns?.datagram ?? 0, smallestDatagram), largestDatagram)
  return whole.length <= room ? whole : truncatedReply(query)
}

/** Sends the client to TCP, and is no longer than the query. */
export function truncatedReply(query: Query): Buffer {
  return write(query, { rcode: 'NOERROR', answers: [], authority: [], additional: [] }, isTruncated)
}

export function streamReply(query: Query, content: ReplyContent): Buffer {
  return write(query, { answers: [], authority: [], additional: [], ...content }, 0)
}

/** Only a header: what else the message said is not repeated. */
export function errorReply({ id, flags, rcode }: BadQuery): Buffer {
  const header = Buffer.alloc(headerLength)
  header.writeUInt16BE(id, 0)
  header.writeUInt16BE(isReply | flags | rcodes[rcode], 2)
  return header
}

function write(
  query: Query,
  { rcode, answers, authority, additional }: Omit<ZoneAnswer, 'rcode'> & Pick<ReplyContent, 'rcode'>,
  truncated: number,
): Buffer {
  const isOurs = rcode === 'NOERROR' || rcode === 'NXDOMAIN'
  const isMinimal = query.asksFor === 'any' && rcode === 'NOERROR' && answers.length === 0 && truncated === 0
  const code = rcodes[rcode]
  const writer = new MessageWriter()
  writer.number16(query.id)
  writer.number16(isReply | query.flags | truncated | (isOurs ? isAuthoritative : 0) | (code & 0xf))
  writer.number16(1)
  writer.number16(isMinimal ? 1 : answers.length)
  writer.number16(isMinimal ? 0 : authority.length)
  writer.number16(additional.length + (query.edns === null ? 0 : 1))
  writer.question(query.raw, query.name)
  if (isMinimal) writeHinfo(writer, query.name)
  else for (const record of [...answers, ...authority]) writer.record(record)
  for (const record of additional) writer.record(record)
  if (query.edns !== null) {
    writer.name('')
    writer.number16(optCode)
    writer.number16(largestDatagram)
    writer.number8(code >> 4)
    writer.number8(0)
    writer.number16(query.edns.wantsDnssec ? 0x8000 : 0)
    writer.number16(0)
  }
  return writer.finish()
}

/** The answer to ANY: RFC 8482, section 4.2. */
function writeHinfo(writer: MessageWriter, name: string): void {
  const text = Buffer.from('RFC8482')
  writer.name(name)
  writer.number16(hinfoCode)
  writer.number16(1)
  writer.number32(hinfoTtl)
  writer.data(() => {
    writer.number8(text.length)
    writer.bytes(text)
    writer.number8(0)
  })
}
