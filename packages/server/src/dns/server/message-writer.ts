import { isIPv6 } from '../../kernel/ip-address.ts'
import { recordCodes } from '../dns-record.ts'
import { isAskable, parentName } from '../domain-name.ts'
import type { ZoneRecord } from './zone.ts'

/** As long as a message may be, and shared: a message is written in one go and copied. */
const scratch = Buffer.allocUnsafe(0xffff)
const internet = 1
/** A pointer has 14 bits. */
const pointerBit = 0xc000
const furthestPointer = 0x3fff

/** Writes a message with compressed names (RFC 1035, section 4.1.4), because a reply should not be much longer than its query. */
export class MessageWriter {
  #at = 0
  readonly #names = new Map<string, number>()

  number8(value: number): void {
    this.#at = scratch.writeUInt8(value, this.#at)
  }

  number16(value: number): void {
    this.#at = scratch.writeUInt16BE(value, this.#at)
  }

  number32(value: number): void {
    this.#at = scratch.writeUInt32BE(value, this.#at)
  }

  bytes(value: Uint8Array): void {
    if (this.#at + value.length > scratch.length) throw new RangeError('The reply is too long')
    scratch.set(value, this.#at)
    this.#at += value.length
  }

  /** The question as it came. Later names point into it. */
  question(raw: Uint8Array, name: string): void {
    let at = this.#at
    this.bytes(raw)
    if (!isAskable(name)) return
    for (let rest: string | null = name; rest !== null && rest !== ''; rest = parentName(rest)) {
      this.#names.set(rest, at)
      at += 1 + (rest.split('.', 1)[0]?.length ?? 0)
    }
  }

  name(name: string): void {
    for (let rest: string | null = name; rest !== null && rest !== ''; rest = parentName(rest)) {
      const known = this.#names.get(rest)
      if (known !== undefined) {
        this.number16(pointerBit | known)
        return
      }
      if (this.#at <= furthestPointer) this.#names.set(rest, this.#at)
      const label = rest.split('.', 1)[0] ?? ''
      this.number8(label.length)
      this.bytes(Buffer.from(label, 'latin1'))
    }
    this.number8(0)
  }

  record(record: ZoneRecord): void {
    this.name(record.name)
    this.number16(recordCodes[record.type])
    this.number16(internet)
    this.number32(record.ttl)
    this.data(() => this.#value(record))
  }

  /** Data with its length in front. */
  data(write: () => void): void {
    const start = this.#at
    this.number16(0)
    write()
    scratch.writeUInt16BE(this.#at - start - 2, start)
  }

  finish(): Buffer {
    return Buffer.from(scratch.subarray(0, this.#at))
  }

  #value({ type, value }: ZoneRecord): void {
    if (type === 'A' || type === 'AAAA') {
      this.bytes(addressBytes(value))
    } else if (type === 'TXT') {
      this.#strings(Buffer.from(value))
    } else if (type === 'SOA') {
      const [primary = '', mailbox = '', ...numbers] = value.split(' ')
      this.name(primary)
      this.name(mailbox)
      for (const number of numbers) this.number32(Number(number))
    } else if (type === 'CAA') {
      const [, flags, tag = '', text = ''] = /^(\d+) (\w+) "(.*)"$/.exec(value) ?? []
      this.number8(Number(flags))
      this.number8(tag.length)
      this.bytes(Buffer.from(tag))
      this.bytes(Buffer.from(text))
    } else {
      this.name(value)
    }
  }

  /** One string of a TXT record holds 255 bytes. */
  #strings(text: Buffer): void {
    for (let at = 0; at === 0 || at < text.length; at += 255) {
      const part = text.subarray(at, at + 255)
      this.number8(part.length)
      this.bytes(part)
    }
  }
}

function addressBytes(address: string): Uint8Array {
  if (!isIPv6(address)) return Uint8Array.from(address.split('.'), Number)
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  const [, start = '', a, b, c, d] = dotted ?? []
  const hex = (high: unknown, low: unknown) => ((Number(high) << 8) | Number(low)).toString(16)
  const plain = dotted === null ? address : `${start}${hex(a, b)}:${hex(c, d)}`
  const [first = [], last = []] = plain.split('::').map((part) => part.split(':').filter(Boolean))
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0')
  const groups = [...first, ...zeros, ...last].map((group) => Number.parseInt(group, 16))
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 255]))
}
