import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hashSecret, isSameSecret, looksLikeKey, metricsAccess, newKeySecret, newToken } from './tokens.ts'

const printable = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index))

test('a new key looks like one: mh_ and 36 characters', () => {
  for (let n = 0; n < 200; n++) {
    const secret = newKeySecret()
    assert.match(secret, /^mh_[0-9A-Za-z]{36}$/)
    assert.ok(looksLikeKey(secret))
  }
})

test('no token starts like an option of a command, as people paste them into commands', () => {
  for (let n = 0; n < 2_000; n++) assert.match(newToken(), /^\w[\w-]{42}$/)
})

test('any single mistyped character is detected', () => {
  fc.assert(
    fc.property(
      fc.constant(null).map(newKeySecret),
      fc.nat({ max: 38 }),
      fc.constantFrom(...printable),
      (secret, place, character) => {
        fc.pre(secret[place] !== character)
        const mistyped = secret.slice(0, place) + character + secret.slice(place + 1)
        return !looksLikeKey(mistyped)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('swapped neighbours, and a key that is cut off or too long, are detected', () => {
  fc.assert(
    fc.property(fc.constant(null).map(newKeySecret), fc.integer({ min: 3, max: 37 }), (secret, place) => {
      const [left = '', right = ''] = secret.slice(place, place + 2)
      fc.pre(left !== right)
      return !looksLikeKey(secret.slice(0, place) + right + left + secret.slice(place + 2))
    }),
  )
  const secret = newKeySecret()
  for (const other of [secret.slice(0, -1), `${secret}0`, ` ${secret}`, `${secret}\n`, '']) {
    assert.equal(looksLikeKey(other), false)
  }
})

test('secrets are the same only when they are equal', () => {
  fc.assert(fc.property(fc.string(), fc.string(), (a, b) => isSameSecret(a, b) === (a === b)))
  fc.assert(fc.property(fc.string(), (a) => isSameSecret(a, a)))
})

test('a token is 256 random bits, and its hash does not show it', () => {
  const tokens = Array.from({ length: 100 }, newToken)
  assert.equal(new Set(tokens).size, 100)
  for (const token of tokens) {
    assert.equal(Buffer.from(token, 'base64url').length, 32)
    assert.ok(!hashSecret(token).includes(token))
    assert.equal(hashSecret(token), hashSecret(token))
  }
})

const operatorKey = 'o'.repeat(32)
const token = 't'.repeat(32)

test('the operator key and the token give access to the metrics, however the scheme is written', () => {
  const mayRead = metricsAccess(operatorKey, token)
  for (const given of [`Bearer ${operatorKey}`, `bearer ${token}`, `BEARER  ${token}`]) {
    assert.equal(mayRead(given), true, given)
  }
})

test('nothing else gives access to the metrics', () => {
  const mayRead = metricsAccess(operatorKey, null)
  const refused = [undefined, '', 'Bearer', 'Bearer ', 'Bearer null', `Bearer ${token}`, operatorKey]
  for (const given of [...refused, `Basic ${operatorKey}`, `Bearer ${operatorKey} ${operatorKey}`]) {
    assert.equal(mayRead(given), false, String(given))
  }
})
