import { type Answer, AUTHORITATIVE_ANSWER, type CaaData, encode, TRUNCATED_RESPONSE } from 'dns-packet'
import { edns, largestDatagram } from '../dns/ask.ts'
import type { Query } from './query.ts'
import { readCaa } from './record-fields.ts'
import type { ZoneAnswer, ZoneRecord } from './zone.ts'

export type ReplyContent = ZoneAnswer | { rcode: 'SERVFAIL' | 'NOTIMP' | 'REFUSED' }

const rcodes = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const
const smallestDatagram = 512
const headerLength = 12

/** The reply as one datagram, truncated if it does not fit, so that the client retries over TCP. */
export function datagramReply(query: Query, content: ReplyContent): Buffer {
  const whole = streamReply(query, content)
  const room = Math.min(Math.max(query.datagram ?? 0, smallestDatagram), largestDatagram)
  if (whole.length <= room) return whole
  return write(
    query,
    { rcode: content.rcode, answers: [], authority: [], additional: [] },
    TRUNCATED_RESPONSE,
  )
}

export function streamReply(query: Query, content: ReplyContent): Buffer {
  return write(query, { answers: [], authority: [], additional: [], ...content }, 0)
}

function write(
  query: Query,
  { rcode, answers, authority, additional }: Omit<ZoneAnswer, 'rcode'> & Pick<ReplyContent, 'rcode'>,
  truncated: number,
): Buffer {
  const isOurs = rcode === 'NOERROR' || rcode === 'NXDOMAIN'
  const bytes = encode({
    type: 'response',
    id: query.id,
    flags: query.flags | rcodes[rcode] | truncated | (isOurs ? AUTHORITATIVE_ANSWER : 0),
    answers: answers.map(toAnswer),
    authorities: authority.map(toAnswer),
    additionals: [...additional.map(toAnswer), ...(query.datagram === null ? [] : [edns()])],
  })
  bytes.writeUInt16BE(1, 4)
  return Buffer.concat([bytes.subarray(0, headerLength), query.raw, bytes.subarray(headerLength)])
}

function toAnswer({ name, type, ttl, value }: ZoneRecord): Answer {
  switch (type) {
    case 'TXT':
      return { name, type, ttl, data: textStrings(value) }
    case 'CAA': {
      const caa = readCaa(value)
      if (caa === null) throw new Error(`${name} has a CAA record that cannot be read`)
      // The library's types know three tags, but any are allowed.
      return { name, type, ttl, data: caa as CaaData }
    }
    case 'SOA': {
      const [mname = '', rname = '', ...numbers] = value.split(' ')
      const [serial = 0, refresh = 0, retry = 0, expire = 0, minimum = 0] = numbers.map(Number)
      return { name, type, ttl, data: { mname, rname, serial, refresh, retry, expire, minimum } }
    }
    default:
      return { name, type, ttl, data: value }
  }
}

/** One string of a TXT record holds 255 bytes. */
function textStrings(text: string): Buffer[] {
  const bytes = Buffer.from(text)
  const strings: Buffer[] = []
  for (let at = 0; at < bytes.length; at += 255) strings.push(bytes.subarray(at, at + 255))
  return strings
}
