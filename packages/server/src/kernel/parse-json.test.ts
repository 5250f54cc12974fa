import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseJson } from './parse-json.ts'

const parse = (text: string) => parseJson(Buffer.from(text))

/** As many files as a deployment may list, with paths of typical length. */
function announcement(files: number): string {
  const entries = Array.from({ length: files }, (_, n) => [
    `/assets/pages/section-${n % 50}/file "${n}" \\ é.html`,
    { sha256: n.toString(16).padStart(64, '0'), size: n },
  ])
  return JSON.stringify({ files: Object.fromEntries(entries), after: [1, { two: 2 }] })
}

/** The same text with something invalid somewhere in it. */
const mutations: ((text: string, at: number) => string)[] = [
  (text, at) => text.slice(0, at) + text.slice(at + 1),
  (text, at) => `${text.slice(0, at)},${text.slice(at)}`,
  (text, at) => `${text.slice(0, at)}"${text.slice(at)}`,
  (text, at) => `${text.slice(0, at)}}${text.slice(at)}`,
  (text, at) => `${text.slice(0, at)}{${text.slice(at)}`,
  (text, at) => `${text.slice(0, at)}\\${text.slice(at)}`,
  (text, at) => text.slice(0, at),
  (text, at) => `${text.slice(0, at)}${' '.repeat(40_000)},${text.slice(at)}`,
]

test('a large body parsed in pieces has the same value as parsed at once', async () => {
  for (const files of [0, 1, 700, 5_000]) {
    const text = announcement(files)
    assert.deepEqual(await parse(text), JSON.parse(text))
    const spaced = JSON.stringify(JSON.parse(text), null, 2)
    assert.deepEqual(await parse(spaced), JSON.parse(text))
  }
  const list = `[${announcement(2_000)},${announcement(2_000)}]`
  assert.deepEqual(await parse(list), JSON.parse(list))
})

test('invalid JSON anywhere in a large body is rejected, as if parsed at once', async () => {
  const text = announcement(2_000)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...mutations),
      fc.oneof(
        fc.integer({ min: 0, max: text.length }),
        fc.constantFrom(10, text.length - 1, text.length - 24),
      ),
      async (mutate, at) => {
        const broken = mutate(text, at)
        const whole = await Promise.try(() => JSON.parse(broken)).catch(() => null)
        const inPieces = await parse(broken).catch(() => null)
        assert.deepEqual(inPieces, whole)
      },
    ),
    { numRuns: 200 },
  )
})

test('entries are counted before parsing, and counting stops at the limit', async () => {
  const most = 20
  const parsed: string[] = []
  const parseText = (text: string) => {
    parsed.push(text)
    return JSON.parse(text)
  }
  const check = ({ entries }: { entries: number }) => assert.ok(entries <= most)
  const parseFew = (text: string) => parseJson(Buffer.from(text), { most, check, parseText })
  for (const many of [
    JSON.stringify(Array.from({ length: 30 }, (_, n) => n)),
    JSON.stringify(Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f${n}`, n]))),
    JSON.stringify({ a: Array.from({ length: 15 }, () => ({ b: [] })) }),
    '['.repeat(10_000),
  ]) {
    await assert.rejects(parseFew(many), assert.AssertionError)
  }
  assert.deepEqual(parsed, [])
  const text = JSON.stringify({ text: '{[,,,'.repeat(100) })
  assert.deepEqual(await parseFew(text), JSON.parse(text))
})

test('the event loop runs while a large body is parsed', async () => {
  let turns = 0
  let isRunning = true
  const count = () => {
    turns++
    if (isRunning) setImmediate(count)
  }
  setImmediate(count)
  await parse(announcement(60_000))
  isRunning = false
  assert.ok(turns > 2, `${turns} turns`)
})
