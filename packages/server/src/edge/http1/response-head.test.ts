import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { noBody } from '../assets/reply.ts'
import { httpDate } from '../http-date.ts'
import { headBytesOf, headEnding } from './response-head.ts'

const replyWith = (headers: string[], status = 200) => ({ status, headers, body: noBody })

test('fields are written as they are, one byte per character, and built once for each status', () => {
  const reply = replyWith(['Content-Length', '1', 'X', '\xe9\t~'])
  const found = headBytesOf(reply)
  assert.equal(found.bytes.toString('latin1'), 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nX: \xe9\t~\r\n')
  assert.equal(found.closes, false)
  const missing = headBytesOf({ ...reply, status: 404 })
  assert.equal(
    missing.bytes.toString('latin1'),
    'HTTP/1.1 404 Not Found\r\nContent-Length: 1\r\nX: \xe9\t~\r\n',
  )
  for (const { bytes } of [found, missing])
    assert.equal(bytes.buffer.byteLength, bytes.length, 'what is kept shares no memory')
  assert.equal(headBytesOf({ ...reply }), found)
  assert.equal(headBytesOf({ ...reply, status: 404 }), missing)
})

test('a reply can close the connection, and says so once', () => {
  const { bytes, closes } = headBytesOf(replyWith(['Connection', 'close', 'A', 'b'], 431))
  assert.equal(bytes.toString(), 'HTTP/1.1 431 Request Header Fields Too Large\r\nA: b\r\n')
  assert.equal(closes, true)
})

test('RFC 9110, 5.5: a value that would end its field early is never sent', () => {
  for (const value of ['a\r\nB: c', 'a\n', '\0', '\x7f', '☃']) {
    assert.throws(() => headBytesOf(replyWith(['A', value])), /A cannot be sent/)
  }
})

test('the head ends with the date, and what becomes of the connection', () => {
  for (const connection of ['keep-alive', 'close']) {
    const before = httpDate()
    const ending = String(headEnding(connection === 'keep-alive'))
    const dates = [before, httpDate()].map((date) => `Date: ${date}\r\nConnection: ${connection}\r\n\r\n`)
    assert.ok(dates.includes(ending), ending)
  }
})

test('the date is right, and the same object within a second', async () => {
  for (let second = 0; second < 3; second++) {
    const [before, date, after] = [Date.now(), Date.parse(httpDate()), Date.now()]
    assert.ok(date > before - 1100 && date <= after, `${date} between ${before} and ${after}`)
    await setTimeout(400)
  }
})
