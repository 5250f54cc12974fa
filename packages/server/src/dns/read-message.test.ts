import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, encode } from 'dns-packet'
import fc from 'fast-check'
import { DnsError } from './dns-error.ts'
import { mutated, mutations } from './mutate.test-kit.ts'
import { readMessage } from './read-message.ts'

const questions = [{ name: 'acme.test', type: 'A' }] as const
const message = (answers: Answer[]) => encode({ type: 'response', id: 7, questions: [...questions], answers })
const valuesOf = (answers: Answer[]) => readMessage(message(answers)).answers.map(({ value }) => value)

const everyType: Answer[] = [
  { name: 'acme.test', type: 'A', ttl: 60, data: '192.0.2.1' },
  { name: 'acme.test', type: 'AAAA', ttl: 60, data: '2001:db8:0:0:0:0:0:1' },
  { name: 'acme.test', type: 'CNAME', ttl: 60, data: 'WWW.Acme.Test' },
  { name: 'acme.test', type: 'NS', ttl: 60, data: 'ns.acme.test' },
  { name: 'acme.test', type: 'TXT', ttl: 60, data: ['v=spf1 ', 'a\\b', Buffer.from([0, 10, 0xff])] },
  {
    name: 'acme.test',
    type: 'SOA',
    ttl: 60,
    data: {
      mname: 'ns.acme.test',
      rname: 'h.acme.test',
      serial: 1,
      refresh: 2,
      retry: 3,
      expire: 4,
      minimum: 5,
    },
  },
  { name: 'acme.test', type: 'CAA', ttl: 60, data: { flags: 128, tag: 'issue', value: 'ca.test; a=b' } },
]

test('records of every type become printable values', () => {
  assert.deepEqual(valuesOf(everyType), [
    '192.0.2.1',
    '2001:db8::1',
    'www.acme.test',
    'ns.acme.test',
    'v=spf1 a\\092b\\000\\010\\255',
    'ns.acme.test h.acme.test 1 2 3 4 5',
    '128 issue "ca.test; a=b"',
  ])
})

test('a CAA record comes apart, with its tag in lower case', () => {
  const bytes = message([everyType.at(-1) as Answer])
  bytes.write('iSSue', bytes.indexOf('issue'))
  const caa = { tag: 'issue', value: 'ca.test; a=b' }
  assert.deepEqual(readMessage(bytes).answers[0]?.caa, { critical: true, ...caa })
  // Only the highest bit makes it critical (RFC 8659, section 4.1).
  bytes.writeUInt8(127, bytes.indexOf('iSSue') - 2)
  assert.deepEqual(readMessage(bytes).answers[0]?.caa, { critical: false, ...caa })
})

test('records of other types and classes are skipped', () => {
  const mail: Answer = { name: 'acme.test', type: 'MX', ttl: 1, data: { preference: 1, exchange: 'mx.test' } }
  const chaos: Answer = { name: 'acme.test', type: 'A', class: 'CH', ttl: 1, data: '192.0.2.9' }
  const known: Answer = { name: 'acme.test', type: 'A', ttl: 1, data: '192.0.2.1' }
  assert.deepEqual(valuesOf([mail, chaos, known]), ['192.0.2.1'])
})

test('a label with a dot in it does not look like two', () => {
  const bytes = message([{ name: 'acme.test', type: 'CNAME', ttl: 1, data: 'a-b.test' }])
  bytes.write('a.b', bytes.indexOf('a-b'))
  assert.equal(readMessage(bytes).answers[0]?.value, 'a\\046b.test')
})

test('compressed names are read, and a TTL with the top bit set is zero', () => {
  const [header, record] = [message([]), Buffer.from('c00c00050001ffffffff000603777777c00c', 'hex')]
  header.writeUInt16BE(1, 6)
  assert.deepEqual(readMessage(Buffer.concat([header, record])).answers, [
    { name: 'acme.test', type: 'CNAME', ttl: 0, value: 'www.acme.test' },
  ])
})

test('the upper bits of the response code come from OPT', () => {
  const edns = {
    type: 'OPT',
    name: '.',
    udpPayloadSize: 1232,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
  } as const
  const additionals = [{ ...edns, extendedRcode: 1, options: [] }]
  assert.equal(readMessage(encode({ type: 'response', id: 1, additionals })).rcode, 'RCODE16')
})

const empty = '000780000001000000000000'
const longLabels = `3f${'61'.repeat(63)}`.repeat(3)
const broken: Record<string, string> = {
  'a header cut short': '00078000000100',
  'two questions': '000780000002000000000000',
  'a question that is missing': empty,
  'a question without its type': `${empty}0161000001`,
  'a label of an unknown kind': `${empty}40${'61'.repeat(64)}0000010001`,
  'a label that runs over the end': `${empty}3f61`,
  'a pointer to itself': `${empty}c00c00010001`,
  'a pointer ahead': `${empty}c0100001000100`,
  'a pointer cut in half': `${empty}c0`,
  'a name of 256 bytes': `${empty}${longLabels}3e${'61'.repeat(62)}0000010001`,
  'an answer that is missing': '000780000000000100000000',
  'an answer that ends before its length': '000780000000000100000000 00 0001 0001 00000001 00',
  'data that is missing': '000780000000000100000000 00 0001 0001 00000001 0004 c000',
  'an address of three bytes': '000780000000000100000000 00 0001 0001 00000001 0003 c00002',
  'an IPv6 address of four': '000780000000000100000000 00 001c 0001 00000001 0004 c0000201',
  'a text longer than its record': '000780000000000100000000 00 0010 0001 00000001 0002 0561 6161616161',
  'a CAA without a tag': '000780000000000100000000 00 0101 0001 00000001 0002 0000',
  'a CAA whose tag is longer than its record':
    '000780000000000100000000 00 0101 0001 00000001 0004 0005 6973',
  'a CNAME longer than its record': '000780000000000100000000 00 0005 0001 00000001 0002 0161 00',
  'a CNAME with more behind it': '000780000000000100000000 00 0005 0001 00000001 0004 0161 00 00',
  'an SOA without its numbers': '000780000000000100000000 00 0006 0001 00000001 0002 0000',
}
for (const [what, hex] of Object.entries(broken)) {
  test(`a message with ${what} is malformed`, () => {
    const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex')
    assert.throws(() => readMessage(bytes), { name: 'DnsError', kind: 'malformed' })
  })
}

test('a name of 255 bytes, the most there can be, is read', () => {
  const bytes = Buffer.from(`${empty}${longLabels}3d${'61'.repeat(61)}0000010001`, 'hex')
  assert.equal(readMessage(bytes).question?.name.length, 253)
})

test('a chain of thousands of pointers is rejected', () => {
  const bytes = Buffer.alloc(0x4000)
  bytes.write(empty, 'hex')
  bytes.writeUInt16BE(5000, 6)
  const pointers = 8000
  // A record of an unknown type whose data is only pointers, each to the one before it.
  Buffer.from('0161000001000100ffff000100000001', 'hex').copy(bytes, 12)
  const first = 30
  bytes.writeUInt16BE(2 * pointers, first - 2)
  for (let index = 1; index < pointers; index++)
    bytes.writeUInt16BE(0xc000 + first + 2 * (index - 1), first + 2 * index)
  const last = Buffer.alloc(2, 0)
  last.writeUInt16BE(0xc000 + first + 2 * (pointers - 1))
  const whole = Buffer.concat([
    bytes.subarray(0, first + 2 * pointers),
    last,
    Buffer.from('00010001000000010000', 'hex'),
  ])
  assert.throws(() => readMessage(whole), { message: /pointers/ })
})

test('the labels of a long name are read once, however many names end with them', () => {
  const label = Buffer.from([1, 0x61])
  const longName = [...Array<Buffer>(120).fill(label), Buffer.alloc(1)]
  const unknownType = Buffer.from('ff000001000000010000', 'hex')
  const records = Array.from({ length: 1_000 }, (_, index) => {
    const pointer = Buffer.alloc(2)
    pointer.writeUInt16BE(0xc000 + 12 + 2 * (index % 100))
    return Buffer.concat([pointer, Buffer.from('00020001000000010002', 'hex'), pointer])
  })
  const bytes = Buffer.concat([Buffer.from(empty, 'hex'), ...longName, unknownType, ...records])
  bytes.writeUInt16BE(0, 4)
  bytes.writeUInt16BE(1 + records.length, 6)
  let read = 0
  bytes.subarray = (start = 0, end = bytes.length) => {
    read += end - start
    return Buffer.prototype.subarray.call(bytes, start, end)
  }
  const { answers } = readMessage(bytes)
  assert.equal(answers.length, records.length)
  assert.equal(answers.at(-1)?.value, Array(21).fill('a').join('.'))
  assert.ok(read < bytes.length, `${read} bytes of ${bytes.length} were read`)
})

test('mutated messages are read as records or rejected with a DnsError', () => {
  const real = message(everyType)
  let refused = 0
  const property = fc.property(mutations, (changes) => {
    try {
      readMessage(mutated(real, changes))
    } catch (error) {
      if (!(error instanceof DnsError)) throw error
      refused++
    }
  })
  fc.assert(property, { seed: 20_261_115, numRuns: 3000 })
  assert.ok(refused > 1000, `only ${refused} of 3000 were refused`)
})

test('messages written by dns-packet are read correctly', () => {
  const label = fc.stringMatching(/^[a-z0-9_-]{1,20}$/)
  const name = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join('.'))
  const ttl = fc.nat(0x7fffffff)
  const record = fc.oneof(
    fc.record({ name, ttl, type: fc.constantFrom('CNAME' as const, 'NS' as const), data: name }),
    fc.record({ name, ttl, type: fc.constant('A' as const), data: fc.ipV4() }),
    fc.record({
      name,
      ttl,
      type: fc.constant('TXT' as const),
      data: fc.stringMatching(/^[ -[\]-~]{0,200}$/),
    }),
  )
  const property = fc.property(fc.array(record, { maxLength: 20 }), (records) => {
    const expected = records.map(({ data, ...rest }) => ({ ...rest, value: data }))
    assert.deepEqual(readMessage(message(records)).answers, expected)
  })
  fc.assert(property, { seed: 20_261_115 })
})
