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
