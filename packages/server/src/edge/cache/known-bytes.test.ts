import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createRandom } from '@masthead/testing/seeded-random.ts'
import { KnownBytes } from './known-bytes.ts'

const textOf = (bytes: Buffer, start: number, end: number) => bytes.toString('latin1', start, end)

suite('Known bytes', () => {
  test('stand for what was kept for them, wherever they are', () => {
    const known = new KnownBytes<{ text: string }>(16)
    known.keep({ text: '/a' }, Buffer.from('/a'), 0, 2)
    assert.equal(known.find(Buffer.from('GET /a HTTP'), 4, 6)?.text, '/a')
    for (const [text, start, end] of [
      ['/a', 0, 1],
      ['/a/', 0, 3],
      ['/b', 0, 2],
      ['', 0, 0],
    ] as const) {
      assert.equal(known.find(Buffer.from(text), start, end), null, text)
    }
  })

  test('are at most 64', () => {
    const known = new KnownBytes<{ text: string }>(16)
    for (const length of [64, 65]) {
      const bytes = Buffer.alloc(length, 'a')
      known.keep({ text: 'a' }, bytes, 0, length)
      assert.equal(known.find(bytes, 0, length)?.text, length === 64 ? 'a' : undefined)
    }
  })

  test('do not change with the buffer that they came from', () => {
    const known = new KnownBytes<{ text: string }>(16)
    const bytes = Buffer.from('/a')
    known.keep({ text: '/a' }, bytes, 0, 2)
    bytes.write('/b')
    assert.equal(known.find(bytes, 0, 2), null)
    assert.equal(known.find(Buffer.from('/a'), 0, 2)?.text, '/a')
  })

  test('make way for others, and never stand for anything else', () => {
    const random = createRandom(3)
    const known = new KnownBytes<{ text: string }>(64)
    const bytes = Buffer.alloc(200)
    let found = 0
    for (let count = 0; count < 200_000; count++) {
      const start = random(bytes.length - 70)
      const end = start + random(5)
      for (let at = start; at < end; at++) bytes[at] = 97 + random(4)
      const before = known.find(bytes, start, end)
      if (before === null) known.keep({ text: textOf(bytes, start, end) }, bytes, start, end)
      else if (before.text !== textOf(bytes, start, end)) assert.fail(`${before.text} at ${count}`)
      else found++
    }
    assert.ok(found > 20_000 && found < 180_000, `${found} found`)
  })
})
