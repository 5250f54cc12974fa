import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { getHeapSnapshot } from 'node:v8'
import { parentPort } from 'node:worker_threads'
import { readHead } from './read-head.test-kit.ts'

const reversed = (value: string) => Buffer.from(value).reverse().toString()

/** Reads a head with a random word in it, and returns the word backwards, so that only the reader can hold on to it. */
function readWith(head: (word: string) => string): string {
  const word = randomUUID()
  assert.ok(typeof readHead(head(word)) === 'object')
  return reversed(word)
}

const withField = (line: string) => (word: string) => `GET / HTTP/1.1\r\nHost: a\r\n${line}${word}\r\n\r\n`
const withTarget = (target: (word: string) => string) => (word: string) =>
  `GET ${target(word)} HTTP/1.1\r\nHost: a\r\n\r\n`

const words = {
  path: readWith(withTarget((word) => `/${word}`)),
  language: readWith(withField('Accept-Language: ')),
  query: readWith(withTarget((word) => `/?key=${word}`)),
  absolute: readWith(withTarget((word) => `http://${word}@a/`)),
  cookie: readWith(withField('Cookie: key=')),
  authorization: readWith(withField('AUTHORIZATION: Bearer ')),
  referrer: readWith(withField('Referer: http://b/')),
  unknown: readWith(withField('X-Api-Key: ')),
}
// JavaScript remembers the last text that a regular expression matched.
readHead('GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n')
const memory = await text(getHeapSnapshot())
const kept = Object.entries(words).filter(([, word]) => memory.includes(reversed(word)))
parentPort?.postMessage(kept.map(([name]) => name))
