import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fieldIds, unknownField } from './fields.ts'
import {
  createDecoder,
  encodeInteger,
  fromHex,
  indexedLiteral,
  linesOf,
  readTable,
} from './hpack.test-kit.ts'
import { HpackError } from './hpack-error.ts'

function decodeHex(text: string, decoder = createDecoder()): string[] {
  return linesOf(decoder.decode(fromHex(text)).fields)
}

function rejects(text: string, message: RegExp, decoder = createDecoder()): void {
  assert.throws(
    () => decoder.decode(fromHex(text)),
    (error) => error instanceof HpackError && message.test(error.message),
    text,
  )
}

suite('RFC 7541, the decoder', () => {
  test('2.3.2: the newest entry comes first, and equal entries may be there twice', () => {
    const decoder = createDecoder()
    for (const value of ['1', '2', '2']) decoder.decode(indexedLiteral('a', value))
    assert.deepEqual(readTable(decoder), { size: 3 * 34, entries: ['a: 2', 'a: 2', 'a: 1'] })
  })

  test('2.3.3: an index beyond both tables is an error, for a field and for a name', () => {
    const decoder = createDecoder()
    decoder.decode(indexedLiteral('a', '1'))
    assert.deepEqual(decodeHex('be', decoder), ['a: 1'])
    for (const block of ['bf', 'ff00', 'ffffff7f', '7f0001 31', '7f00 0131', '0f30 0131', '1f30 0131']) {
      rejects(block, /neither table/, decoder)
    }
  })

  test('3.2: a list keeps its order and its duplicates', () => {
    assert.deepEqual(decodeHex('84 82 84 00 0161 0131 87 00 0161 0130'), [
      ':path: /',
      ':method: GET',
      ':path: /',
      'a: 1',
      ':scheme: https',
      'a: 0',
    ])
  })

  test('4.1: the size of an entry is its decoded name, its decoded value and 32', () => {
    const decoder = createDecoder()
    decodeHex('40 88 25a849e95ba97d7f 89 25a849e95bb8e8b4bf', decoder)
    assert.equal(readTable(decoder).size, 'custom-key'.length + 'custom-value'.length + 32)
  })

  test('4.2: a block starts with two table size updates at most', () => {
    const decoder = createDecoder()
    decoder.decode(indexedLiteral('a', '1'))
    assert.deepEqual(decodeHex('20 3fe11f 82', decoder), [':method: GET'])
    assert.deepEqual(readTable(decoder).entries, [])
    rejects('20 20 20', /more than two/, decoder)
    rejects('20'.repeat(10_000), /more than two/, decoder)
  })

  test('4.2: a table size update after a field is an error', () => {
    rejects('82 20', /not at the start/)
    rejects('82 3fe11f', /not at the start/)
    rejects('40 0161 0131 20', /not at the start/)
    rejects('3fe11f 82 20 84', /not at the start/)
  })

  test('4.3: a smaller table evicts its oldest entries, a larger one keeps all', () => {
    const decoder = createDecoder()
    for (const value of ['1', '2', '3']) decoder.decode(indexedLiteral('a', value))
    decoder.decode(encodeInteger(0x20, 0x1f, 3 * 34))
    assert.deepEqual(readTable(decoder).entries, ['a: 3', 'a: 2', 'a: 1'])
    decoder.decode(encodeInteger(0x20, 0x1f, 3 * 34 - 1))
    assert.deepEqual(readTable(decoder).entries, ['a: 3', 'a: 2'])
    decoder.decode(encodeInteger(0x20, 0x1f, 4096))
    assert.deepEqual(readTable(decoder).entries, ['a: 3', 'a: 2'])
    decodeHex('20', decoder)
    assert.deepEqual(readTable(decoder).entries, [])
    decoder.decode(indexedLiteral('a', '4'))
    assert.deepEqual(readTable(decoder).entries, [])
  })

  test('4.4: an entry that fits exactly stays, one more byte evicts the oldest', () => {
    const decoder = createDecoder({ tableSize: 2 * 34 })
    for (const value of ['1', '2']) decoder.decode(indexedLiteral('a', value))
    assert.deepEqual(readTable(decoder).entries, ['a: 2', 'a: 1'])
    decoder.decode(indexedLiteral('a', '3'))
    assert.deepEqual(readTable(decoder).entries, ['a: 3', 'a: 2'])
    decoder.decode(indexedLiteral('a', '44'))
    assert.deepEqual(readTable(decoder).entries, ['a: 44'])
  })

  test('4.4: an entry larger than the table empties it, and is a field all the same', () => {
    const decoder = createDecoder({ tableSize: 100 })
    decoder.decode(indexedLiteral('a', '1'))
    const value = 'v'.repeat(100 - 33)
    decoder.decode(indexedLiteral('b', value))
    assert.deepEqual(readTable(decoder), { size: 100, entries: [`b: ${value}`] })
    assert.deepEqual(linesOf(decoder.decode(indexedLiteral('b', `${value}v`)).fields), [`b: ${value}v`])
    assert.deepEqual(readTable(decoder), { size: 0, entries: [] })
  })

  test('4.4: an entry may take its name from one that it evicts', () => {
    const decoder = createDecoder({ tableSize: 40 })
    decoder.decode(indexedLiteral('name', '1'))
    assert.deepEqual(decodeHex('7e 0132', decoder), ['name: 2'])
    assert.deepEqual(readTable(decoder).entries, ['name: 2'])
  })

  test('4.4: thousands of entries pass through a table without disorder', () => {
    const decoder = createDecoder({ tableSize: 10 * 36 })
    for (let count = 0; count < 5000; count++) {
      decoder.decode(indexedLiteral('a', String(count % 1000).padStart(3, '0')))
      const newest = count % 1000
      const expected = Array.from({ length: Math.min(10, count + 1) }, (_, age) =>
        String((newest - age + 1000) % 1000).padStart(3, '0'),
      )
      if (count % 97 === 0 || count < 20) {
        assert.deepEqual(
          readTable(decoder).entries,
          expected.map((value) => `a: ${value}`),
        )
      }
    }
  })

  test('5.1: an integer that is too large or too long is an error', () => {
    for (const start of ['ff', '7f', '3f', '1f', '0f', '00 7f', '00 ff', '00 0161 7f', '40 0161 ff']) {
      rejects(`${start} ffffffff`, /too large/)
      rejects(`${start} 80808080 00`, /too large/)
      rejects(start + 'ff'.repeat(10_000), /too large/)
      rejects(start + '80'.repeat(10_000), /too large/)
    }
    rejects('00 7f ffffff7f', /ends within a string/)
    rejects('3f ffffff7f', /exceeds our setting/)
  })

  test('5.1: an integer may be padded with zeros', () => {
    const decoder = createDecoder()
    assert.deepEqual(decodeHex('3f e19f 00 0f 00 0131', decoder), ['accept-charset: 1'])
    assert.deepEqual(decodeHex('3f e19f80 00 0f 8000 0131', decoder), ['accept-charset: 1'])
  })

  test('5.1: a block that ends within an integer is an error', () => {
    for (const block of ['ff', 'ff80', '7f', '3f', '3fe1', '1f', '0fff', '00 7f', '00 0161 ff80']) {
      rejects(block, /ends within an integer/)
    }
  })

  test('5.2: a block that ends before or within a string is an error', () => {
    for (const block of ['40', '00', '10', '0f00', '00 0161', '41']) rejects(block, /ends within a field/)
    for (const block of ['00 0261', '00 0161 0231', '41 8c f1e3', '00 7fffff03 61']) {
      rejects(block, /ends within a string/)
    }
  })

  test('5.2: padding is ones, fewer than eight', () => {
    // "a" is 00011, "0" is 00000, "&" is eight bits.
    assert.deepEqual(decodeHex('00 81 1f 81 07'), ['a: 0'])
    assert.deepEqual(decodeHex('00 81 1f 81 f8'), ['a: &'])
    assert.deepEqual(decodeHex('00 81 1f 80'), ['a: '])
    for (const value of ['81 00', '81 06', '81 03', '82 07ff', '82 f8ff', '81 ff', '82 ffff', '83 ffffff']) {
      rejects(`00 81 1f ${value}`, /wrong padding/)
    }
  })

  test('5.2: the end-of-string symbol within a string is an error', () => {
    for (const value of [
      '84 ffffffff',
      '84 fffffffc',
      '85 07ffffffff',
      '85 07fffffff8',
      '86 ffffffff 0707',
    ]) {
      rejects(`00 81 1f ${value}`, /end-of-string/)
    }
  })

  test('6.1: index 0 is an error', () => {
    rejects('80', /neither table/)
    rejects('82 80', /neither table/)
  })

  test('6.1: every index of the static table is a field, and 62 is not', () => {
    const decoder = createDecoder()
    for (let index = 1; index <= 61; index++) {
      assert.equal(decoder.decode(Buffer.from([0x80 | index])).fields.length, 1)
    }
    rejects('be', /neither table/, decoder)
  })

  test('6.2.1: a literal with indexing enters the table, by a name of either table or a new one', () => {
    const decoder = createDecoder()
    assert.deepEqual(decodeHex('44 022f61 40 0161 0131 7e 0132', decoder), [':path: /a', 'a: 1', 'a: 2'])
    assert.deepEqual(readTable(decoder).entries, ['a: 2', 'a: 1', ':path: /a'])
  })

  for (const [section, first, long] of [
    ['6.2.2: a literal without indexing', '0', '0f'],
    ['6.2.3: a literal never indexed', '1', '1f'],
  ] as const) {
    test(`${section} leaves the table alone`, () => {
      const decoder = createDecoder()
      decoder.decode(indexedLiteral('a', '1'))
      const block = `${first}4 022f61 ${first}0 0162 0131 ${long}2f 0132`
      assert.deepEqual(decodeHex(block, decoder), [':path: /a', 'b: 1', 'a: 2'])
      assert.deepEqual(readTable(decoder).entries, ['a: 1'])
    })
  }

  test('6.3: a table size update up to our setting is fine, one above is an error', () => {
    const decoder = createDecoder({ tableSize: 100 })
    for (const size of [0, 30, 31, 99, 100]) decoder.decode(encodeInteger(0x20, 0x1f, size))
    for (const size of [101, 4096, 2 ** 28]) {
      assert.throws(() => decoder.decode(encodeInteger(0x20, 0x1f, size)), HpackError)
    }
  })
})

suite('Fields', () => {
  test('have the id of their name, in whichever way they are sent', () => {
    const decoder = createDecoder()
    const idsOf = (block: Buffer) => decoder.decode(block).fields.map(({ id }) => id)
    for (const [name, id] of Object.entries(fieldIds)) {
      assert.deepEqual(idsOf(indexedLiteral(name, 'v')), [id], name)
      assert.deepEqual(idsOf(fromHex('be 7e 0131 0f2f 0132')), [id, id, id], name)
    }
    assert.deepEqual(idsOf(fromHex('82 84 87 0f17 0131 88')), [0, 1, 2, fieldIds.host, unknownField])
    assert.deepEqual(idsOf(indexedLiteral('x-other', 'v')), [unknownField])
    assert.deepEqual(idsOf(indexedLiteral('Range', 'v')), [unknownField])
  })

  test('hold one character per byte', () => {
    const bytes = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte))
    assert.equal(createDecoder().decode(indexedLiteral('a', bytes)).fields[0]?.value, bytes)
  })

  test('are well-formed as RFC 9113, 8.2.1 and 8.3 say', () => {
    const decoder = createDecoder()
    const isWellFormed = (name: string, value: string) => {
      const [literal] = decoder.decode(indexedLiteral(name, value)).fields
      const [repeated] = decoder.decode(fromHex('be')).fields
      assert.equal(literal?.isWellFormed, repeated?.isWellFormed)
      return literal?.isWellFormed
    }
    for (const name of [':method', 'a', "x-a_b.c~!#$%&'*+^`|09"])
      assert.equal(isWellFormed(name, 'v'), true, name)
    for (const value of ['', 'v', 'a b', 'a\tb', '\x01', 'caf\xe9', '\xff']) {
      assert.equal(isWellFormed('a', value), true, JSON.stringify(value))
    }
    const badNames = [
      '',
      'A',
      'xA',
      ':',
      ':x',
      ':Path',
      'a:',
      'a b',
      'a\0',
      'a\r',
      'a\n',
      'a\x7f',
      'caf\xe9',
      'a/b',
    ]
    for (const name of [...badNames, ':status', ':protocol']) {
      assert.equal(isWellFormed(name, 'v'), false, JSON.stringify(name))
    }
    for (const path of ['/', '/a?b=%00', '/caf\xe9', '//', '*']) {
      assert.equal(isWellFormed(':path', path), true, JSON.stringify(path))
    }
    for (const path of ['', 'a', '**', '*/', '/ ', '/a b', '/\0', '/a\n', '/\x7f', 'http://a/']) {
      assert.equal(isWellFormed(':path', path), false, JSON.stringify(path))
    }
    for (const value of ['\0', 'a\0b', 'a\rb', 'a\nb', 'a\n', ' a', 'a ', '\ta', 'a\t', ' ', '\t']) {
      assert.equal(isWellFormed('a', value), false, JSON.stringify(value))
    }
  })
})
