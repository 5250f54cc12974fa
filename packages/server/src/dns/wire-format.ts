import { SocketAddress } from 'node:net'
import { DnsError } from './dns-error.ts'
import { type DnsRecord, printable, type RecordType } from './dns-record.ts'

const longestName = 255
/** Each useful pointer adds at least one label, and a name has at most this many. */
const maxPointers = 127

/**
 * The name at an offset of a message, and the offset where it ends. Pointers must point backwards (RFC 1035,
 * section 4.1.4), so that reading always terminates.
 */
export function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = []
  let at = start
  let end: number | null = null
  let earliest = start
  let length = 1
  let pointers = 0
  for (;;) {
    const head = message[at]
    if (head === undefined) throw new DnsError('malformed', 'a name runs over the end of the message')
    if (head === 0) return { name: labels.join('.'), end: end ?? at + 1 }
    if (head >= 0xc0) {
      end ??= at + 2
      at = ((head & 0x3f) << 8) | (message[at + 1] ?? 0xff)
      if (at >= earliest || ++pointers > maxPointers) {
        throw new DnsError('malformed', 'the pointers of a name are invalid')
      }
      earliest = at
      continue
    }
    if (head > 63) throw new DnsError('malformed', 'a label is of an unknown kind')
    const label = message.subarray(at + 1, at + 1 + head)
    length += head + 1
    if (length > longestName || label.length < head) throw new DnsError('malformed', 'a name is too long')
    labels.push(printable(label, 'label').toLowerCase())
    at += head + 1
  }
}

type RecordData = Pick<DnsRecord, 'value' | 'caa' | 'soa'>

/** The data of a record, between `start` and `end` of the message. */
export function readRecordData(type: RecordType, message: Buffer, start: number, end: number): RecordData {
  const data = message.subarray(start, end)
  const reader = readers[type]
  return reader(data, (offset) => {
    const name = readName(message, start + offset)
    if (name.end > end) throw new DnsError('malformed', 'a name runs over the end of its record')
    return { name: name.name, end: name.end - start }
  })
}

type NameAt = (offset: number) => { name: string; end: number }

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
