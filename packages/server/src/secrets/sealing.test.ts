import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { KeyRing } from './master-key.ts'
import { createSealing, keyId, keyIdOf, SealingError } from './sealing.ts'

const key = randomBytes(32)
const other = randomBytes(32)

function failsAs(kind: SealingError['kind']) {
  return (error: unknown) => error instanceof SealingError && error.kind === kind
}

test('what was sealed opens again, for the same purpose only', () => {
  const { seal, open } = createSealing([key])
  const sealed = seal('a secret', 'certificate of www.acme.com')
  assert.match(sealed, new RegExp(`^v1\\.${keyId(key)}\\.[\\w-]{16}\\.[\\w-]+\\.[\\w-]{22}$`))
  assert.equal(open(sealed, 'certificate of www.acme.com').toString(), 'a secret')
  assert.throws(() => open(sealed, 'certificate of evil.example'), failsAs('damaged'))
})

test('bytes and the empty string can be sealed', () => {
  const { seal, open } = createSealing([key])
  const bytes = randomBytes(1_000)
  assert.deepEqual(open(seal(bytes, 'x'), 'x'), bytes)
  assert.equal(open(seal('', 'x'), 'x').length, 0)
})

test('sealing the same secret twice gives different texts', () => {
  const { seal } = createSealing([key])
  assert.equal(new Set(Array.from({ length: 100 }, () => seal('same', 'x'))).size, 100)
})

test('a value with any part changed does not open', () => {
  const { seal, open } = createSealing([key])
  const parts = seal('a secret', 'x').split('.')
  for (const index of [2, 3, 4]) {
    const changed = parts.map((part, at) => (at === index ? flipped(part) : part)).join('.')
    assert.throws(() => open(changed, 'x'), failsAs('damaged'))
  }
  const shortTag = [...parts.slice(0, 4), parts[4]?.slice(0, 6)].join('.')
  for (const text of ['', 'v1', parts.slice(0, 4).join('.'), shortTag, `v2.${parts.slice(1).join('.')}`]) {
    assert.throws(() => open(text, 'x'), failsAs('damaged'))
  }
})

test('a value under another master key is distinguished from a damaged one', () => {
  const sealed = createSealing([other]).seal('a secret', 'x')
  assert.throws(() => createSealing([key]).open(sealed, 'x'), failsAs('other_key'))
  assert.equal(createSealing([key, other]).open(sealed, 'x').toString(), 'a secret')
})

test('a key added while the process runs is found and seals from then on', () => {
  let keys: KeyRing = [key]
  const running = createSealing(keys, () => keys)
  keys = [other, key]
  const rotated = createSealing(keys)
  assert.equal(running.open(rotated.seal('new', 'x'), 'x').toString(), 'new')
  assert.ok(running.seal('more', 'x').startsWith(`v1.${keyId(other)}.`))
  assert.equal(running.open(createSealing([key]).seal('old', 'x'), 'x').toString(), 'old')
})

test('an added key seals immediately, but nothing is sealed if ours was replaced', () => {
  let keys: KeyRing = [key]
  const running = createSealing(keys, () => keys)
  keys = [other, key]
  assert.ok(running.seal('more', 'x').startsWith(`v1.${keyId(other)}.`))
  keys = [randomBytes(32)]
  assert.throws(() => running.seal('more', 'x'), failsAs('other_key'))
})

test('a value is resealed if the sealing key has changed, and left alone otherwise', () => {
  const before = createSealing([key]).seal('a secret', 'x')
  const { renew, open } = createSealing([other, key])
  const after = renew(before, 'x')
  assert.equal(keyIdOf(after), keyId(other))
  assert.equal(open(after, 'x').toString(), 'a secret')
  assert.equal(renew(after, 'x'), after)
  assert.throws(() => renew(before, 'y'), failsAs('damaged'))
})

function flipped(part: string): string {
  const bytes = Buffer.from(part, 'base64url')
  bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0)
  return bytes.toString('base64url')
}
