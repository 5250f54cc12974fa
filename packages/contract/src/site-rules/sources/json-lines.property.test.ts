import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '@masthead/testing/seeded-random.ts'
import { readJsonLines, writeOnLines } from './json-lines.ts'

const random = createRandom(7)
const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T
const strings = ['', 'a', '"', '\\', '\\"', '[', ']', '{', '}', ',', ':', '\n', 'é', '\ud800', '":"', '/*']
/** Without escapes: V8 sometimes takes one escaped key for another that it has seen before. */
const nameOf = () =>
  Array.from({ length: 1 + random(3) }, () => pick(['a', 'b', '[', '{', ',', ':', 'é'])).join('')
const text = () => Array.from({ length: random(4) }, () => pick(strings)).join('')

function value(depth: number): unknown {
  const kind = random(depth === 0 ? 4 : 6)
  if (kind === 0) return text()
  if (kind < 4) return [random(100), null, true][kind - 1]
  const inside = Array.from({ length: random(4) }, () => value(depth - 1))
  return kind === 4 ? inside : Object.fromEntries(inside.map((one) => [nameOf(), one]))
}

/** JSON with white space wherever it may be. Notes the line of every member and entry that starts. */
function spread(members: [string, unknown][]): { json: string; lines: Map<string, number> } {
  const lines = new Map<string, number>()
  let json = ''
  const space = () => {
    json += Array.from({ length: random(3) }, () => pick([' ', '\n', '\r\n', '\t', ''])).join('')
  }
  const say = (word: string) => {
    space()
    json += word
  }
  const mark = (key: string) => {
    space()
    lines.set(key, json.split('\n').length)
  }
  const write = (one: unknown) => {
    if (typeof one !== 'object' || one === null) {
      say(JSON.stringify(one))
      return
    }
    const entries = Array.isArray(one) ? one.map((item) => [null, item] as const) : Object.entries(one)
    say(Array.isArray(one) ? '[' : '{')
    for (const [at, [key, item]] of entries.entries()) {
      if (at > 0) say(',')
      if (key !== null) say(`${JSON.stringify(key)}:`)
      write(item)
    }
    say(Array.isArray(one) ? ']' : '}')
  }
  say('{')
  for (const [at, [name, one]] of members.entries()) {
    if (at > 0) say(',')
    mark(name)
    json += JSON.stringify(name)
    say(':')
    if (!Array.isArray(one)) write(one)
    else {
      say('[')
      for (const [index, entry] of one.entries()) {
        if (index > 0) say(',')
        mark(`${name}/${index}`)
        json += JSON.stringify(entry)
      }
      say(']')
    }
  }
  say('}')
  return { json, lines }
}

test('every member and entry has its line, and keeps it when some of them are written again', () => {
  for (let times = 0; times < 3_000; times++) {
    const names = new Set(Array.from({ length: 1 + random(4) }, nameOf))
    const members = Array.from(names, (name): [string, unknown] => [name, value(3)])
    const { json, lines } = spread(members)
    assert.deepEqual(JSON.parse(json), Object.fromEntries(members))
    const read = readJsonLines(json)
    for (const [key, line] of lines) {
      const [, name = '', entry] = /^(.*?)(?:\/(\d+))?$/s.exec(key) ?? []
      if (!names.has(name)) continue
      assert.equal(read.lineOf(name, entry === undefined ? undefined : Number(entry)), line, json)
    }
    const kept = Object.fromEntries(members.filter(() => random(2) === 0))
    const again = writeOnLines(kept, ([name, entry]) =>
      read.lineOf(String(name), entry as number | undefined),
    )
    assert.deepEqual(JSON.parse(again), kept)
    const reread = readJsonLines(again)
    for (const [name, one] of Object.entries(kept)) {
      assert.equal(reread.lineOf(name), read.lineOf(name))
      if (Array.isArray(one))
        for (const at of one.keys()) assert.equal(reread.lineOf(name, at), read.lineOf(name, at))
    }
  }
})

test('what is not JSON has lines as well, without an error', () => {
  for (let times = 0; times < 3_000; times++) {
    const { depth } = readJsonLines(Array.from({ length: random(40) }, () => pick(strings)).join(''))
    assert.ok(depth >= 0 && depth <= 160)
  }
})
