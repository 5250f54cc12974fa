import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { encodeField, encodeHead } from './encoder.ts'
import { createDecoder, linesOf, readTable } from './hpack.test-kit.ts'

const decodeLines = (block: Buffer) =>
  linesOf(createDecoder({ maxListSize: 2 ** 20, maxFields: 2 ** 20 }).decode(block).fields)

suite('The encoder', () => {
  test('sends the status first, names in lower case, and nothing about connections', () => {
    const head = encodeHead(200, [
      ...[
        'Content-Type',
        'text/html; charset=utf-8',
        'Connection',
        'close',
        'ETag',
        '"A"',
        'KEEP-ALIVE',
        '1',
      ],
      ...['Proxy-Connection', 'x', 'Transfer-Encoding', 'chunked', 'Upgrade', 'x', 'X-Own', 'Connection'],
    ])
    assert.deepEqual(decodeLines(head), [
      ':status: 200',
      'content-type: text/html; charset=utf-8',
      'etag: "A"',
      'x-own: Connection',
    ])
  })

  test('uses the static table where a field is in it', () => {
    assert.equal(encodeHead(304, []).toString('hex'), '8b')
    assert.equal(encodeField('accept-encoding', 'gzip, deflate').toString('hex'), '90')
    assert.equal(encodeField('content-length', '1').toString('hex'), '0f0d0131')
    assert.equal(encodeHead(421, []).toString('hex'), '08826841')
  })

  test('leaves every table alone', () => {
    const decoder = createDecoder()
    decoder.decode(encodeHead(404, ['Content-Type', 'text/html', 'X-Own', 'value', 'Date', 'today']))
    assert.deepEqual(readTable(decoder).entries, [])
  })

  test('says every byte, and strings of every length', () => {
    const bytes = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte))
    for (const byte of bytes) assert.deepEqual(decodeLines(encodeField('a', byte)), [`a: ${byte}`])
    for (const text of [bytes, 'e', '\xff', '/'])
      for (const length of [0, 1, 126, 127, 128, 254, 255, 256, 20_000]) {
        const value = text.repeat(length).slice(0, length)
        assert.deepEqual(decodeLines(encodeField('x', value)), [`x: ${value}`])
      }
  })

  test('takes Huffman coding only where that is shorter', () => {
    assert.equal(encodeField('a', 'www.example.com').length, 1 + 2 + 1 + 12)
    assert.equal(encodeField('a', '{{{').length, 1 + 2 + 1 + 3)
  })
})
