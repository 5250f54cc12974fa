import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { encodeHead } from './encoder.ts'
import { createDecoder, fromHex, indexedLiteral, linesOf, readTable, usedHeap } from './hpack.test-kit.ts'
import { HpackError } from './hpack-error.ts'

suite('Limits of a list', () => {
  test('a list of exactly the size passes, and one byte more is too large', () => {
    // 42 for ":method: GET", and 32 + 1 + the value.
    const block = Buffer.concat([fromHex('82'), indexedLiteral('a', 'v'.repeat(25))])
    assert.equal(createDecoder({ maxListSize: 100 }).decode(block).fields.length, 2)
    assert.deepEqual(createDecoder({ maxListSize: 99 }).decode(block), { fields: [], tooLarge: true })
  })

  test('a list of as many fields passes, and one more is too large', () => {
    const decoder = createDecoder({ maxFields: 3 })
    assert.equal(decoder.decode(fromHex('828284')).fields.length, 3)
    assert.deepEqual(decoder.decode(fromHex('82828484')), { fields: [], tooLarge: true })
    assert.deepEqual(decoder.decode(fromHex('82')).tooLarge, false)
  })

  test('a list that is too large still changes the table, and still must be correct', () => {
    const decoder = createDecoder({ maxListSize: 50 })
    const block = Buffer.concat([fromHex('8282'), indexedLiteral('a', '1'), fromHex('82')])
    assert.equal(decoder.decode(block).tooLarge, true)
    assert.deepEqual(linesOf(decoder.decode(fromHex('be')).fields), ['a: 1'])
    for (const tail of ['80', 'ff', '20', '00 81 1f 81 00', '00 0161 0231']) {
      assert.throws(() => decoder.decode(fromHex(`8282 ${tail}`)), HpackError)
    }
  })

  test('a string longer than every limit empties the table and is not kept', () => {
    const decoder = createDecoder()
    decoder.decode(indexedLiteral('a', '1'))
    const long = indexedLiteral('b', 'v'.repeat(60_000))
    assert.deepEqual(decoder.decode(long), { fields: [], tooLarge: true })
    assert.deepEqual(readTable(decoder).entries, [])
    const coded = encodeHead(200, ['b', 'v'.repeat(60_000)])
    assert.deepEqual(decoder.decode(coded), { fields: [], tooLarge: true })
  })

  test('a large entry that is referred to thousands of times is never repeated', () => {
    const decoder = createDecoder()
    decoder.decode(indexedLiteral('a', 'v'.repeat(4000)))
    assert.deepEqual(decoder.decode(Buffer.alloc(64 * 1024, 0xbe)), { fields: [], tooLarge: true })
    assert.equal(decoder.decode(Buffer.alloc(4, 0xbe)).fields.length, 4)
    assert.equal(decoder.decode(Buffer.alloc(5, 0xbe)).tooLarge, true)
  })
})

suite('Hostile blocks', () => {
  const list = [
    'x-one',
    '1'.repeat(200),
    'content-type',
    'text/html',
    'x-two',
    '\0\xff{',
    'x-three',
    '',
    'etag',
    'W/"a"',
  ]
  const block = Buffer.concat([
    fromHex('3fe11f'),
    encodeHead(404, list),
    indexedLiteral('a', '1'),
    fromHex('82be'),
  ])
  const whole = linesOf(createDecoder().decode(block).fields)

  test('a block cut at any byte is an error, or ends between two fields', () => {
    let errors = 0
    for (let end = 0; end < block.length; end++) {
      try {
        const fields = linesOf(createDecoder().decode(block.subarray(0, end)).fields)
        assert.deepEqual(fields, whole.slice(0, fields.length))
      } catch (error) {
        assert.ok(error instanceof HpackError)
        errors++
      }
    }
    assert.equal(errors, block.length - whole.length - 1)
  })

  test('only the bytes from start to end are read', () => {
    for (const around of [0x00, 0x20, 0x80, 0xff]) {
      const buffer = Buffer.alloc(block.length + 20, around)
      block.copy(buffer, 7)
      assert.deepEqual(linesOf(createDecoder().decode(buffer, 7, 7 + block.length).fields), whole)
      for (const tail of ['ff', '7f', '3f', '00', '00 01', '00 0161 0b', '00 0161 8b']) {
        const bytes = fromHex(tail)
        bytes.copy(buffer, 7)
        assert.throws(() => createDecoder().decode(buffer, 7, 7 + bytes.length), HpackError)
      }
    }
  })

  test('an error leaves the decoder without the block', () => {
    const decoder = createDecoder()
    assert.throws(() => decoder.decode(fromHex('40 0161 0131 80')), HpackError)
    assert.deepEqual(decoder.decode(Buffer.alloc(0)), { fields: [], tooLarge: false })
  })

  const fillings: { name: string; blocks: Buffer[] }[] = [
    { name: 'as many entries as fit', blocks: [Buffer.concat(Array(200).fill(fromHex('40 00 00')))] },
    { name: 'one entry as large as the table', blocks: [indexedLiteral('a', 'v'.repeat(4096 - 33))] },
    {
      name: 'thousands of entries that have left again',
      blocks: Array.from({ length: 40 }, (_, round) =>
        Buffer.concat(Array.from({ length: 50 }, (_, index) => indexedLiteral(`a${round}`, String(index)))),
      ),
    },
    { name: 'blocks that are too large', blocks: Array(20).fill(indexedLiteral('a', 'v'.repeat(30_000))) },
  ]
  for (const { name, blocks } of fillings) {
    test(`a decoder takes less than 16 kB, whatever it was sent: ${name}`, () => {
      const decoders = Array.from({ length: 100 }, () => createDecoder())
      const before = usedHeap()
      for (const decoder of decoders) for (const block of blocks) decoder.decode(block)
      const each = (usedHeap() - before) / decoders.length
      assert.ok(each < 16_000, `${each} bytes`)
      assert.ok(decoders.every((decoder) => readTable(decoder).size <= 4096))
    })
  }
})
