import { SocketAddress } from 'node:net'
import { DnsError } from './dns-error.ts'
import { type DnsRecord, printable, type RecordType } from './dns-record.ts'

const longestName = 255
/** Each useful pointer adds at least one label, and a name has at most this many. */
const maxPointers = 127

export type NameAt = (offset: number) => { name: string; end: number }

/** The end of a name, from any of its labels on. */
interface Tail {
  name: string
  /** On the wire, without compression. */
  length: number
  pointers: number
  /** Where its first pointer leads, or -1. */
  target: number
  end: number
}

/**
 * Reads the name at an offset of the message, and tells where it ends. Each label is read once, however many names end
 * with it: a hostile message may have a thousand pointers to one long name. Pointers must point backwards (RFC 1035,
 * section 4.1.4), so that reading always terminates.
 */
export function createNameReader(message: Buffer): NameAt {
  const tails = new Map<number, Tail>()

  /** `start` is where this part of the name starts; `length` and `pointers` count what is in front of the tail. */
  function tailAt(at: number, start: number, length: number, pointers: number): Tail {
    const tail = tails.get(at) ?? readTail(at, start, length, pointers)
    if (length + tail.length > longestName) throw new DnsError('malformed', 'a name is too long')
    if (tail.target >= start || pointers + tail.pointers > maxPointers) {
      throw new DnsError('malformed', 'the pointers of a name are invalid')
    }
    tails.set(at, tail)
    return tail
  }

  function readTail(at: number, start: number, length: number, pointers: number): Tail {
    const head = message[at]
    if (head === undefined) throw new DnsError('malformed', 'a name runs over the end of the message')
    if (head === 0) return { name: '', length: 1, pointers: 0, target: -1, end: at + 1 }
    if (head >= 0xc0) {
      const target = ((head & 0x3f) << 8) | (message[at + 1] ?? 0xff)
      if (target >= start || pointers === maxPointers) {
        throw new DnsError('malformed', 'the pointers of a name are invalid')
      }
      const tail = tailAt(target, target, length, pointers + 1)
      return { ...tail, pointers: tail.pointers + 1, target, end: at + 2 }
    }
    if (head > 63) throw new DnsError('malformed', 'a label is of an unknown kind')
    const next = at + 1 + head
    const bytes = message.subarray(at + 1, next)
    if (length + head + 1 >= longestName || bytes.length < head) {
      throw new DnsError('malformed', 'a name is too long')
    }
    const label = printable(bytes, 'label').toLowerCase()
    const tail = tailAt(next, start, length + head + 1, pointers)
    const name = tail.name === '' ? label : `${label}.${tail.name}`
    return { ...tail, name, length: tail.length + head + 1 }
  }

  return (offset) => {
    const { name, end } = tailAt(offset, offset, 0, 0)
    return { name, end }
  }
}

type RecordData = Pick<DnsRecord, 'value' | 'caa' | 'soa'>

/** The data of a record, between `start` and `end` of the message. */
export function readRecordData(
  type: RecordType,
  message: Buffer,
  { start, end, nameAt }: { start: number; end: number; nameAt: NameAt },
): RecordData {
  const data = message.subarray(start, end)
  const reader = readers[type]
  return reader(data, (offset) => {
    const name = nameAt(start + offset)
    if (name.end > end) throw new DnsError('malformed', 'a name runs over the end of its record')
    return { name: name.name, end: name.end - start }
  })
}

const readers: Record<RecordType, (data: Buffer, nameAt: NameAt) => RecordData> = {
  A: (data) => ({ value: exactly(4, data).join('.') }),
  AAAA: (data) => ({ value: ipv6(exactly(16, data)) }),
  CNAME: onlyName,
  NS: onlyName,
  DNAME: onlyName,
  TXT: (data) => ({ value: strings(data) }),
  SOA(data, nameAt) {
    const primary = nameAt(0)
    const mailbox = nameAt(primary.end)
    const numbers = exactly(20, data.subarray(mailbox.end))
    const [serial, refresh, retry, expire] = [0, 4, 8, 12].map((offset) => numbers.readUInt32BE(offset))
    const minimum = numbers.readUInt32BE(16)
    return {
      value: [primary.name, mailbox.name, serial, refresh, retry, expire, minimum].join(' '),
      soa: { minimum },
    }
  },
  CAA(data) {
    const [flags = 0, tagLength = 0] = data
    if (tagLength === 0 || data.length < 2 + tagLength) throw new DnsError('malformed', 'a CAA has no tag')
    // Tags are case-insensitive (RFC 8659, section 4.1).
    const tag = printable(data.subarray(2, 2 + tagLength), 'text').toLowerCase()
    const content = data.subarray(2 + tagLength)
    const value = printable(content, 'text')
    // Within a value, a tab counts as a space (RFC 8659, section 4.2).
    const caa = { critical: flags >= 128, tag, value: printable(content, 'spaced') }
    return { value: `${flags} ${tag} "${value}"`, caa }
  },
}

function onlyName(data: Buffer, nameAt: NameAt): RecordData {
  const { name, end } = nameAt(0)
  exactly(end, data)
  return { value: name }
}

function exactly(length: number, data: Buffer): Buffer {
  if (data.length !== length) throw new DnsError('malformed', 'the data of a record has the wrong length')
  return data
}

function ipv6(bytes: Buffer): string {
  const groups = bytes.toString('hex').match(/.{4}/g) ?? []
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address
}

function strings(data: Buffer): string {
  let text = ''
  for (let at = 0; at < data.length; ) {
    const length = data.readUInt8(at)
    const end = at + 1 + length
    if (end > data.length) throw new DnsError('malformed', 'a text runs over the end of its record')
    text += printable(data.subarray(at + 1, end), 'text')
    at = end
  }
  return text
}
