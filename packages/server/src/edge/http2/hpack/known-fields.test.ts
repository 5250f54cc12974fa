import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createRandom } from '@masthead/testing/seeded-random.ts'
import { createDecoder, encodeInteger, indexedLiteral, linesOf, rawString } from './hpack.test-kit.ts'
import { encodeHuffman, huffmanLength } from './huffman-encode.ts'

/** In the static table. */
const indexes = { ':path': 4, 'if-none-match': 41 } as const
type Name = keyof typeof indexes

function huffmanString(text: string): Buffer {
  const bytes = Buffer.alloc(huffmanLength(text))
  encodeHuffman(text, bytes, 0)
  return Buffer.concat([encodeInteger(0x80, 0x7f, bytes.length), bytes])
}

/** Added to the table, not added, and never added on the way either (RFC 7541, 6.2). */
const kinds = [
  { flags: 0x40, prefix: 0x3f },
  { flags: 0x00, prefix: 0x0f },
  { flags: 0x10, prefix: 0x0f },
]

function literal(name: Name, value: string, { kind = 1, isHuffman = true } = {}): Buffer {
  const { flags, prefix } = kinds[kind] as (typeof kinds)[number]
  const start = encodeInteger(flags, prefix, indexes[name])
  return Buffer.concat([start, isHuffman ? huffmanString(value) : rawString(value)])
}

/** Of a connection of its own. */
const decodeOne = (block: Buffer) => createDecoder().decode(block).fields[0]

suite('Fields that many visitors send', () => {
  test('are the same object on every connection', () => {
    for (const [name, value] of [
      [':path', '/guides/known.html'],
      ['if-none-match', '"0123456789abcdef"'],
    ] as const) {
      const field = decodeOne(literal(name, value))
      assert.equal(field?.value, value)
      for (const kind of kinds.keys()) assert.equal(decodeOne(literal(name, value, { kind })), field)
      const raw = decodeOne(literal(name, value, { isHuffman: false }))
      assert.deepEqual(raw, field)
    }
  })

  test('are not kept with a query, which may be secret, nor if they are long', () => {
    for (const path of ['/a?token=secret', '/?', `/${'a'.repeat(200)}`]) {
      assert.notEqual(decodeOne(literal(':path', path)), decodeOne(literal(':path', path)), path)
      assert.equal(decodeOne(literal(':path', path))?.value, path)
    }
  })

  test('keep their names, though the values are the same', () => {
    for (const value of ['/same', '"same"', '*', '']) {
      for (const name of [':path', 'if-none-match', ':path'] as const) {
        const { fields } = createDecoder().decode(literal(name, value))
        assert.deepEqual(linesOf(fields), [`${name}: ${value}`])
        assert.deepEqual(fields, createDecoder().decode(indexedLiteral(name, value)).fields)
      }
    }
  })

  test('are what they would be if nothing were known', () => {
    const random = createRandom(7)
    const values = Array.from({ length: 12_000 }, (_, n) => {
      const start = n % 3 === 0 ? '"' : '/'
      return start + String.fromCharCode(...Array.from({ length: random(70) }, () => random(256)))
    })
    for (let count = 0; count < 100_000; count++) {
      // Some often, and so many others that each place is taken again and again.
      const value = values[random(count % 2 === 0 ? 100 : values.length)] as string
      const name = random(2) === 0 ? ':path' : 'if-none-match'
      const field = decodeOne(literal(name, value, { kind: random(3), isHuffman: random(4) > 0 }))
      if (field?.name !== name || field.value !== value || field.size !== name.length + value.length + 32)
        assert.fail(`${name}: ${JSON.stringify(value)} is ${JSON.stringify(field)}`)
    }
  })
})
