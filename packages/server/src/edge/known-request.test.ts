import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KnownRequest } from './known-request.ts'
import type { ReadyAnswer } from './lane-writer.ts'
import { noBody } from './response.ts'

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

const answerWith = (more: Partial<ReadyAnswer> = {}): ReadyAnswer => ({
  reply: { status: 200, headers: [], body: noBody },
  content: 'content',
  standing: { isOver: false },
  ...more,
})

test('a request is known by what it says, or left to node:http', () => {
  assert.equal(new KnownRequest(get).head?.host, 'a')
  assert.equal(new KnownRequest('nonsense\r\n\r\n').head, null)
})

test('what was answered is answered so again, on connections for the same name', () => {
  const request = new KnownRequest(get)
  const answer = answerWith()
  assert.equal(request.answerFor(null), null)
  request.keep(answer, null)
  assert.equal(request.answerFor(null), answer)
  assert.equal(request.answerFor('a'), null)
  request.keep(answer, 'a')
  assert.equal(request.answerFor('a'), answer)
  assert.equal(request.answerFor('b'), null)
})

test('an answer is given no more once things have changed', () => {
  const request = new KnownRequest(get)
  const standing = { isOver: false }
  request.keep(answerWith({ standing }), null)
  standing.isOver = true
  assert.equal(request.answerFor(null), null)
})

test('an answer that stands on nothing is not given again, nor is the one before it', () => {
  const { standing: _, ...without } = answerWith()
  for (const answer of [without, answerWith({ standing: null })]) {
    const request = new KnownRequest(get)
    request.keep(answerWith(), null)
    request.keep(answer, null)
    assert.equal(request.answerFor(null), null)
  }
})

test('long content is not kept', () => {
  const request = new KnownRequest(get)
  request.keep(answerWith({ content: Buffer.alloc(20_000) }), null)
  assert.equal(request.answerFor(null), null)
})
