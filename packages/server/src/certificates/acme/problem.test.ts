import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemDocument, problemFromDocument } from './problem.ts'

const read = (document: unknown) => problemFromDocument(problemDocument.parse(document))

test('a registered type maps to its kind, anything else to other', () => {
  assert.equal(read({ type: 'urn:ietf:params:acme:error:rejectedIdentifier' }).kind, 'rejected_name')
  assert.equal(read({ type: 'urn:ietf:params:acme:error:tls' }).kind, 'connection')
  assert.equal(read({ type: 'urn:ietf:params:acme:error:constructor' }).kind, 'other')
  assert.equal(read({}).kind, 'other')
})

test('text from the CA is truncated and kept on one line', () => {
  const detail = `first\r\nsecond\u2028third ${'x'.repeat(5000)}`
  const subproblems = Array.from({ length: 1000 }, () => ({ type: 'a', detail }))
  const { document, message } = read({ type: 'b', detail, subproblems, status: 'none' })
  assert.match(document?.detail ?? '', /^first second third x+$/)
  assert.equal(document?.detail?.length, 2000)
  assert.equal(document?.subproblems?.length, 20)
  assert.ok(JSON.stringify(document).length < 50_000)
  assert.doesNotMatch(message, /\n/)
})

test('a malformed document is rejected', () => {
  for (const nothing of [null, 'text', []]) assert.equal(problemDocument.safeParse(nothing).success, false)
})
