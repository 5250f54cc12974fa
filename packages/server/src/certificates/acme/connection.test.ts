import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NoncePool } from './connection.ts'

test('the newest nonce is taken first, each once', () => {
  const pool = new NoncePool()
  for (const nonce of ['old', 'new']) pool.keep(nonce)
  assert.deepEqual([pool.take(), pool.take(), pool.take()], ['new', 'old', undefined])
})

test('what cannot be a nonce is not kept', () => {
  const pool = new NoncePool()
  for (const nonce of [null, '', 'a b', 'a=', 'x'.repeat(513)]) pool.keep(nonce)
  assert.equal(pool.take(), undefined)
})

test('of many nonces the newest 64 are kept', () => {
  const pool = new NoncePool()
  for (let index = 0; index < 1000; index++) pool.keep(`nonce-${index}`)
  const taken: string[] = []
  for (let nonce = pool.take(); nonce !== undefined; nonce = pool.take()) taken.push(nonce)
  assert.equal(taken.length, 64)
  assert.equal(taken.at(-1), 'nonce-936')
})
