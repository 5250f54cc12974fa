import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JoinedParts } from './joined-parts.ts'

const parts = ['one ', '', 'two'].map((text) => Buffer.from(text))

for (const isSecure of [true, false]) {
  test(`parts are joined in order, as long as they fit (${isSecure ? 'TLS' : 'TCP'})`, () => {
    const joined = new JoinedParts()
    assert.equal(joined.join(parts, 7, isSecure)?.toString(), 'one two')
    const long = Buffer.alloc(200 * 1024)
    assert.equal(joined.join([...parts, long], 7 + long.length, isSecure), null)
    assert.equal(joined.join(parts, 7, isSecure)?.toString(), 'one two')
  })
}

test('what the system has not taken yet is not overwritten', () => {
  const joined = new JoinedParts()
  const first = joined.join(parts, 7, false)
  joined.keepPlain()
  joined.join([Buffer.from('another')], 7, false)
  assert.equal(first?.toString(), 'one two')
})

test('every length comes out whole, before and after others', () => {
  const joined = new JoinedParts()
  const lengths = [0, 1, 7, 1_023, 1_024, 1_031, 2_055, 16 * 1024, 7, 1_031, 1]
  for (const [letter, length] of lengths.entries()) {
    const part = Buffer.alloc(length, letter)
    assert.deepEqual(joined.join([part], length, false), part)
    if (length === 1_024) joined.keepPlain()
  }
})
