import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NoncePool } from './connection.ts'

test('the newest nonce is used first, and each once', () => {
  const pool = new NoncePool()
  for (const nonce of ['old', 'new']) pool.add(nonce)
  assert.deepEqual([pool.take(), pool.take(), pool.take()], ['new', 'old', undefined])
})

test('malformed nonces are ignored', () => {
  const pool = new NoncePool()
  for (const nonce of [null, '', 'a b', 'a=', 'x'.repeat(513)]) pool.add(nonce)
  assert.equal(pool.take(), undefined)
})

test('only the newest 64 nonces are kept', () => {
  const pool = new NoncePool()
  for (let index = 0; index < 1000; index++) pool.add(`nonce-${index}`)
  const taken: string[] = []
  for (let nonce = pool.take(); nonce !== undefined; nonce = pool.take()) taken.push(nonce)
  assert.equal(taken.length, 64)
  assert.equal(taken.at(-1), 'nonce-936')
})
