import assert from 'node:assert/strict'
import { once } from 'node:events'
import { afterEach, suite, test } from 'node:test'
import { createRandom } from '@masthead/testing/seeded-random.ts'
import { get, openConnection } from './connection.test-kit.ts'
import type { Fields } from './header-section.ts'
import { readHead } from './read-head.test-kit.ts'
import { RecentSections } from './recent-sections.ts'
import { protocols } from './socket-pair.test-kit.ts'

/** What `section` was kept as, if a text that goes on with `more` begins with it. */
function visit(recent: RecentSections<string>, section: string, more = '\r\n', offset = 0): string | null {
  const bytes = Buffer.from(`${'-'.repeat(offset)}${section}${more}`, 'latin1')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const known = recent.find(bytes, view, offset, bytes.length)
  if (known === null) recent.keep(section, bytes, view, offset, offset + section.length)
  bytes.fill(0)
  return known?.value ?? null
}

const created: RecentSections<string>[] = []

afterEach(() => {
  for (const recent of created.splice(0)) recent.forget()
})

function createNew(): RecentSections<string> {
  const recent = new RecentSections<string>()
  created.push(recent)
  return recent
}

/** One that has seen a request, so it keeps what it sees. */
function createRecent(): RecentSections<string> {
  const recent = createNew()
  visit(recent, 'First: 1\r\n')
  return recent
}

function createAfter(section: string): RecentSections<string> {
  const recent = createRecent()
  visit(recent, section)
  return recent
}

const numbered = (number: number, length = 20) => `N: ${number}`.padEnd(length - 2, '.').concat('\r\n')

suite('Recent header sections', () => {
  test('are known when they come again, wherever they are, and whatever follows', () => {
    const recent = createRecent()
    assert.equal(visit(recent, 'Host: a\r\n'), null)
    assert.equal(visit(recent, 'Host: a\r\n'), 'Host: a\r\n')
    assert.equal(visit(recent, 'Host: a\r\n', '\r\n', 7), 'Host: a\r\n')
    assert.equal(visit(recent, 'Host: a\r\n', 'If-None-Match: "b"\r\n\r\n'), 'Host: a\r\n')
    for (const other of ['Host: b\r\n', 'host: a\r\n', 'Host:  a\r\n', 'Host: a\r\r', 'ost: a\r\n'])
      assert.equal(visit(createAfter('Host: a\r\n'), other), null, JSON.stringify(other))
  })

  test('are not known until they and an empty line fit in what was read', () => {
    for (const more of ['', '\r']) assert.equal(visit(createAfter('Host: a\r\n'), 'Host: a\r\n', more), null)
    assert.equal(visit(createAfter('Host: a\r\n'), 'Host: a', '\r\n'), null)
  })

  test('are kept from the second request on, since many clients send only one', () => {
    const recent = createNew()
    assert.equal(visit(recent, 'Host: a\r\n'), null)
    assert.equal(visit(recent, 'Host: a\r\n'), null)
    assert.equal(visit(recent, 'Host: a\r\n'), 'Host: a\r\n')
  })

  test('make way for others when there are more than eight, or more than 4 KiB', () => {
    for (const [length, count] of [
      [20, 8],
      [1_000, 4],
      [4_096, 1],
    ] as const) {
      const recent = createRecent()
      for (let number = 0; number < count; number++) visit(recent, numbered(number, length))
      for (let number = 0; number < count; number++)
        assert.equal(visit(recent, numbered(number, length)), numbered(number, length))
      assert.equal(visit(recent, numbered(count, length)), null)
      assert.equal(visit(recent, numbered(count, length)), numbered(count, length))
      assert.equal(visit(recent, numbered(0, length)), null)
    }
  })

  test('are not kept if they are longer than 4 KiB or shorter than four bytes', () => {
    for (const length of [4_097, 10_000]) {
      const recent = createAfter(numbered(1))
      assert.equal(visit(recent, numbered(2, length)), null)
      assert.equal(visit(recent, numbered(2, length)), null)
      assert.equal(visit(recent, numbered(1)), numbered(1), 'and the others stay')
    }
    const recent = createRecent()
    for (const short of ['', ':\r\n', 'a:\r']) {
      assert.equal(visit(recent, short), null)
      assert.equal(visit(recent, short), null)
    }
  })

  test('are forgotten when the client is idle', () => {
    const recent = createAfter('Host: a\r\n')
    recent.forget()
    recent.forget()
    assert.equal(visit(recent, 'Host: a\r\n'), null)
    assert.equal(visit(recent, 'Host: a\r\n'), 'Host: a\r\n')
  })

  test('are no longer kept after sixteen in a row that were all different', () => {
    const recent = createRecent()
    for (let number = 0; number < 15; number++) visit(recent, numbered(number))
    assert.equal(visit(recent, numbered(14)), numbered(14))
    for (let number = 100; number < 117; number++) visit(recent, numbered(number))
    for (let count = 0; count < 3; count++) assert.equal(visit(recent, numbered(200)), null)
  })

  test('are kept for 2,048 connections at once, and for others after they leave', () => {
    const all = Array.from({ length: 2_048 }, () => createAfter('Host: a\r\n'))
    const late = createAfter('Host: a\r\n')
    assert.equal(visit(late, 'Host: a\r\n'), null)
    for (const recent of all) {
      assert.equal(visit(recent, 'Host: a\r\n'), 'Host: a\r\n')
      recent.forget()
    }
    assert.equal(visit(late, 'Host: a\r\n'), null)
    assert.equal(visit(late, 'Host: a\r\n'), 'Host: a\r\n')
  })
})

/** So many connections more could keep theirs. */
function countFree(): number {
  const all = Array.from({ length: 2_048 }, () => createAfter('Host: a\r\n'))
  const free = all.filter((recent) => visit(recent, 'Host: a\r\n') !== null).length
  for (const recent of all) recent.forget()
  return free
}

for (const [name, protocol] of Object.entries(protocols)) {
  test(`a connection keeps its own until it is idle or ends (${name})`, async () => {
    using connection = await openConnection(protocol)
    const { client, monitor, socket } = connection
    const ask = async (count: number) => {
      const read = once(client, 'data')
      client.write(get('/', 'Accept: */*\r\n').repeat(count))
      await read
    }
    await ask(1)
    assert.equal(countFree(), 2_048)
    await ask(2)
    assert.equal(countFree(), 2_047)
    monitor.checkActivity()
    assert.equal(countFree(), 2_047)
    monitor.checkActivity()
    assert.equal(countFree(), 2_048)
    await ask(2)
    assert.equal(countFree(), 2_047)
    const closed = once(socket, 'close')
    client.destroy()
    await closed
    assert.equal(countFree(), 2_048)
  })
}

/** A few come often, as from a browser; some are malformed, must not come twice, or are joined with earlier ones. */
const lines = [
  ...['Host: a\r\n', 'Host: a\r\n', 'host: b\r\n'],
  ...['Accept: */*\r\n', 'Cookie: c=1\r\n', 'Cookie: d=2\r\n', 'X-Other: 1\r\n', 'User-Agent: x\r\n'],
  ...['If-None-Match: "a"\r\n', 'If-None-Match: "b"\r\n', 'Range: bytes=0-1\r\n', 'Connection: close\r\n'],
  ...['Content-Length: 0\r\n', 'Content-Length: 1\r\n', 'Transfer-Encoding: chunked\r\n', 'Expect: x\r\n'],
  ...[' folded\r\n', '\tfolded\r\n', 'Bad Name: x\r\n', 'Bare: x\n', 'Bare: x\r', 'Nul: \0\r\n', ': x\r\n'],
]

test('a request is read the same, whatever its connection sent before', () => {
  const random = createRandom(7)
  const pick = () => lines[random(lines.length)] ?? ''
  let repeated = 0
  for (let count = 0; count < 2_000; count++) {
    const recent = new RecentSections<Fields>()
    const sections = ['Host: a\r\nAccept: */*\r\n']
    for (let request = 0; request < 20; request++) {
      let section = sections[random(sections.length)] ?? ''
      if (random(3) === 0) section = section.slice(0, random(section.length + 1))
      for (let more = random(3); more > 0; more--) section += pick()
      if (sections.includes(section)) repeated++
      else if (sections.length < 10) sections.push(section)
      const head = `GET /${request} HTTP/1.${random(8) === 0 ? 0 : 1}\r\n${section}${random(8) === 0 ? '\r' : '\r\n'}`
      const text = head + (random(2) === 0 ? 'GET / HTTP/1.1\r\n' : '')
      const end = random(8) === 0 ? random(text.length + 1) : text.length
      assert.deepEqual(readHead(text, end, recent), readHead(text, end), JSON.stringify(text))
    }
    recent.forget()
  }
  assert.ok(repeated > 5_000, `only ${repeated} came again: the test says little`)
})
