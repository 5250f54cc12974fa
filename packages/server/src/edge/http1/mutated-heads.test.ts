import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMutations } from './mutations.test-kit.ts'
import { readHead } from './read-head.test-kit.ts'

/** `MASTHEAD_MUTATIONS=1000000` takes about ten seconds. */
const count = Number(process.env.MASTHEAD_MUTATIONS ?? 40_000)

const heads = [
  'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
  'HEAD /a/b.html?c=d HTTP/1.1\r\nHost: hello.example:8080\r\nConnection: close\r\n\r\n',
  'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
  'GET http://a.example/b HTTP/1.1\r\nhost: c\r\nRange: bytes=0-1\r\nIf-Range: "x"\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n',
  'PUT /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost:\r\n\r\n',
  'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n',
  [
    'GET /assets/app.js HTTP/1.1',
    'Host: www.example.com',
    'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    'Accept: */*',
    'Accept-Language: en-US,en;q=0.5',
    'Accept-Encoding: gzip, deflate, br, zstd',
    'Referer: https://www.example.com/',
    'Connection: keep-alive',
    'Sec-Fetch-Dest: script',
    'If-None-Match: "0123456789abcdef0123456789abcdef-br"',
    'If-Modified-Since: Sun, 15 Nov 2026 10:20:30 GMT',
    '\r\n',
  ].join('\r\n'),
]

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const grammar = new RegExp(
  `^(${token}) ([!-~\\x80-\\xff]+) HTTP/1\\.([01])\\r\\n((?:${token}:[\\t -~\\x80-\\xff]*\\r\\n)*)\\r\\n$`,
)

/** The same decision, read from the grammar of RFC 9112 with no thought of speed. */
function decide(text: string) {
  const match = grammar.exec(text)
  if (match === null) return null
  const [, method = '', target = '', minor, lines = ''] = match
  const fields = lines
    .split('\r\n')
    .slice(0, -1)
    .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1)])
  const values = (name: string) =>
    fields.filter(([key]) => key === name).map(([, value = '']) => value.replace(/^[\t ]+|[\t ]+$/g, ''))
  const [hosts, lengths, codings] = [values('host'), values('content-length'), values('transfer-encoding')]
  if (hosts.length > 1 || (hosts.length === 0 && minor === '1')) return null
  const form = {
    authority: method === 'CONNECT' && /^[^/?@]+:\d{1,5}$/.test(target),
    origin: method !== 'CONNECT' && target.startsWith('/'),
    absolute: method !== 'CONNECT' && /^https?:\/\/[^/?]/i.test(target),
    asterisk: method === 'OPTIONS' && target === '*',
  }
  if (!Object.values(form).includes(true)) return null
  if (lengths.length > 1 || lengths.some((length) => !/^[0-9]+$/.test(length))) return null
  if (codings.length > 0 && (lengths.length > 0 || minor === '0')) return null
  if (
    codings.length > 0 &&
    codings
      .join(',')
      .split(/[\t ]|,/)
      .at(-1)
      ?.toLowerCase() !== 'chunked'
  )
    return null
  const options = values('connection')
    .join(',')
    .toLowerCase()
    .split(',')
    .map((option) => option.trim())
  return {
    method,
    target,
    host: hosts[0] ?? '',
    hasBody: codings.length > 0 || lengths.some((length) => /[1-9]/.test(length)),
    keepAlive: !options.includes('close') && (minor === '1' || options.includes('keep-alive')),
    conditions: values('if-none-match').join(', '),
  }
}

test(`${count} mutated heads are read exactly as the grammar says`, () => {
  const mutate = createMutations(heads, 13)
  let read = 0
  for (let n = 0; n < count; n++) {
    const text = mutate()
    const end = text.indexOf('\r\n\r\n') + 4
    if (end < 4) continue
    const head = readHead(text, end)
    const expected = decide(text.slice(0, end))
    if (expected === null) {
      assert.ok(typeof head === 'number', JSON.stringify(text))
      continue
    }
    read++
    assert.ok(typeof head === 'object', JSON.stringify(text))
    const { method, target, host, hasBody, keepAlive, headers } = head
    const conditions = headers['if-none-match'] ?? ''
    assert.deepEqual({ method, target, host, hasBody, keepAlive, conditions }, expected, JSON.stringify(text))
  }
  assert.ok(read > count / 20, `only ${read} were valid: the test says little`)
})
