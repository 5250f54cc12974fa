import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashDummyPassword, hashPassword, passwordMatches } from './password.ts'

test('only the right password matches', async () => {
  const hash = await hashPassword('correct horse battery')
  assert.equal(await passwordMatches('correct horse battery', hash), true)
  assert.equal(await passwordMatches('correct horse batterx', hash), false)
  assert.equal(await passwordMatches('', hash), false)
})

test('a hash is argon2id with its costs, and differs each time', async () => {
  const [one, two] = [await hashPassword('the same'), await hashPassword('the same')]
  assert.match(one, /^argon2id\$19456\$2\$1\$/)
  assert.notEqual(one, two)
})

test('a password matches however its accents were typed', async () => {
  const hash = await hashPassword('caf\u00e9 au lait')
  assert.equal(await passwordMatches('cafe\u0301 au lait', hash), true)
})

test('a password is compared with the costs stored in its hash', async () => {
  const costly = await hashPassword('correct horse battery')
  const cheap = costly.replace('$19456$2$', '$1024$1$')
  assert.equal(await passwordMatches('correct horse battery', cheap), false)
})

test('hashing for an unknown person never matches', async () => {
  assert.equal(await hashDummyPassword('anything'), false)
})
