import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBody } from '../assets/reply.ts'
import { httpDate } from '../http-date.ts'
import { fieldBytesOf, headEnding, statusLineOf } from './response-head.ts'

const replyWith = (headers: string[], status = 200) => ({ status, headers, body: noBody })

test('fields are written as they are, one byte per character, and built once', () => {
  const reply = replyWith(['Content-Length', '1', 'X', '\xe9\t~'])
  const { bytes, closes } = fieldBytesOf(reply)
  assert.equal(bytes.toString('latin1'), 'Content-Length: 1\r\nX: \xe9\t~\r\n')
  assert.equal(closes, false)
  assert.equal(fieldBytesOf({ ...reply, status: 404 }).bytes, bytes)
})

test('a reply can close the connection, and says so once', () => {
  const { bytes, closes } = fieldBytesOf(replyWith(['Connection', 'close', 'A', 'b']))
  assert.equal(bytes.toString(), 'A: b\r\n')
  assert.equal(closes, true)
})

test('RFC 9110, 5.5: a value that would end its field early is never sent', () => {
  for (const value of ['a\r\nB: c', 'a\n', '\0', '\x7f', '☃']) {
    assert.throws(() => fieldBytesOf(replyWith(['A', value])), /A cannot be sent/)
  }
})

test('the status line has the reason phrase of its status', () => {
  assert.equal(String(statusLineOf(431)), 'HTTP/1.1 431 Request Header Fields Too Large\r\n')
})

test('the head ends with the date, and what becomes of the connection', () => {
  for (const connection of ['keep-alive', 'close']) {
    const before = httpDate()
    const ending = String(headEnding(connection === 'keep-alive'))
    const dates = [before, httpDate()].map((date) => `Date: ${date}\r\nConnection: ${connection}\r\n\r\n`)
    assert.ok(dates.includes(ending), ending)
  }
})

test('the date is built once per second, and always right', () => {
  const start = Date.UTC(2026, 0, 1)
  assert.equal(httpDate(start), 'Thu, 01 Jan 2026 00:00:00 GMT')
  assert.equal(httpDate(start + 999), 'Thu, 01 Jan 2026 00:00:00 GMT')
  assert.equal(httpDate(start + 1000), 'Thu, 01 Jan 2026 00:00:01 GMT')
  assert.equal(httpDate(start - 1), 'Wed, 31 Dec 2025 23:59:59 GMT')
})
