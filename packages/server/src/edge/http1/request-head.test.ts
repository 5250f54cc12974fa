import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hasStrayByte } from './grammar.ts'
import { readHead } from './read-head.test-kit.ts'

const get = (fields: string, line = 'GET /a?b=c HTTP/1.1') => `${line}\r\n${fields}\r\n\r\n`
const read = (text: string) => readHead(text)

test('a plain request is read', () => {
  const head = read(
    get('hOST: Hello:80\r\nAccept-Encoding:gzip,  br\r\nX-Empty:\r\nCookie: a=b\r\nrange: \t bytes=0-1 \t'),
  )
  assert.ok(typeof head === 'object')
  const { method, target, host, keepAlive, hasBody, expect, headers } = head
  assert.deepEqual([method, target, host], ['GET', '/a?b=c', 'Hello:80'])
  assert.deepEqual([keepAlive, hasBody, expect], [true, false, undefined])
  assert.deepEqual(
    [headers['accept-encoding'], headers.range, headers['if-none-match'], headers['if-range']],
    ['gzip,  br', 'bytes=0-1', undefined, undefined],
  )
})

const accepted: Record<string, string> = {
  '2.1: no field in HTTP/1.0': 'GET / HTTP/1.0\r\n\r\n',
  '3.1: a method that nobody knows': get('Host: a', 'BREW / HTTP/1.1'),
  '3.2.1: a target with bytes of UTF-8': get('Host: a', 'GET /caf\xc3\xa9 HTTP/1.1'),
  '3.2.1: a target with characters that should be escaped': get('Host: a', 'GET /a|b?{"c"}#d HTTP/1.1'),
  '3.2.2: an absolute target': get('Host: a', 'GET http://b/c HTTP/1.1'),
  '3.2.2: an absolute target without a path': get('Host: a', 'GET HTTPS://b?c HTTP/1.1'),
  '3.2.3: the authority of a CONNECT': get('Host: a:443', 'CONNECT a:443 HTTP/1.1'),
  '3.2.4: the asterisk of OPTIONS': get('Host: a', 'OPTIONS * HTTP/1.1'),
  '5: bytes beyond ASCII in a value': get('Host: a\r\nX: \xe9'),
  '5: a tab in a value': get('Host: a\r\nX: a\tb'),
  '5.1: white space around a value': get('Host:\t a \t'),
  '6.3: a body of no bytes': get('Host: a\r\nContent-Length: 000'),
}

const refused: Record<string, string> = {
  '2.2: a bare LF after the request line': 'GET / HTTP/1.1\nHost: a\r\n\r\n',
  '2.2: a bare LF after a field': get('Host: a\nX: a'),
  '2.2: a bare CR in a field': get('Host: a\r\nX: a\rb'),
  '2.2: a bare CR in the request line': get('Host: a', 'GET /\r HTTP/1.1'),
  '2.2: white space before the first field': get(' Host: a'),
  '3: two spaces after the method': get('Host: a', 'GET  / HTTP/1.1'),
  '3: two spaces after the target': get('Host: a', 'GET /  HTTP/1.1'),
  '3: a tab for a space': get('Host: a', 'GET\t/ HTTP/1.1'),
  '3: a space after the version': get('Host: a', 'GET / HTTP/1.1 '),
  '3: no version, as in HTTP/0.9': get('Host: a', 'GET /'),
  '3: a space in the target': get('Host: a', 'GET /a b HTTP/1.1'),
  '3.1: a method that is no token': get('Host: a', 'G(T / HTTP/1.1'),
  '3.2: an empty target': get('Host: a', 'GET  HTTP/1.1'),
  '3.2: a NUL in the target': get('Host: a', 'GET /\0 HTTP/1.1'),
  '3.2: a target that is neither path nor URL': get('Host: a', 'GET a HTTP/1.1'),
  '3.2: no Host': get('X: a'),
  '3.2: two Hosts': get('Host: a\r\nhost: a'),
  '3.2.2: another scheme': get('Host: a', 'GET ftp://a/ HTTP/1.1'),
  '3.2.2: a URL without a host': get('Host: a', 'GET http:///a HTTP/1.1'),
  '3.2.3: CONNECT to a path': get('Host: a', 'CONNECT / HTTP/1.1'),
  '3.2.4: the asterisk of GET': get('Host: a', 'GET * HTTP/1.1'),
  '5: a name that is none': get('Host: a\r\nX(: a'),
  '5: no name': get('Host: a\r\n: a'),
  '5: no colon': get('Host: a\r\nX'),
  '5: a NUL in a value': get('Host: a\r\nX: a\0'),
  '5: a control character in a value': get('Host: a\r\nX: \x1b'),
  '5.1: a space before the colon': get('Host : a'),
  '5.2: a folded field': get('Host: a\r\nX: a\r\n b'),
  '6.1: a length and a transfer coding': get('Host: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked'),
  '6.1: a transfer coding in HTTP/1.0': get('Transfer-Encoding: chunked', 'GET / HTTP/1.0'),
  '6.3: a last transfer coding that is not chunked': get('Host: a\r\nTransfer-Encoding: chunked, gzip'),
  '6.3: two lengths': get('Host: a\r\nContent-Length: 1\r\nContent-Length: 1'),
  '6.3: a list of lengths': get('Host: a\r\nContent-Length: 1, 1'),
  '6.3: a negative length': get('Host: a\r\nContent-Length: -1'),
  '6.3: a length in hexadecimal': get('Host: a\r\nContent-Length: 0x1'),
}

describe('RFC 9112', () => {
  for (const [name, text] of Object.entries(accepted)) {
    test(`${name} is accepted`, () => assert.equal(typeof read(text), 'object'))
  }
  for (const [name, text] of Object.entries(refused)) {
    test(`${name} is refused`, () => assert.equal(read(text), 400))
  }

  test('2.3: another version is refused by its name', () => {
    for (const version of ['HTTP/0.9', 'HTTP/1.2', 'HTTP/2.0', 'HTTP/9.9']) {
      assert.equal(read(get('Host: a', `GET / ${version}`)), 505)
    }
    for (const version of [
      'RTSP/1.0',
      'http/1.1',
      'HTTP/1',
      'HTTP/1.10',
      'HTTP/11',
      'HTTP/1,1',
      'HTTP 1.1',
    ]) {
      assert.equal(read(get('Host: a', `GET / ${version}`)), 400, version)
    }
  })

  test('6: a body is announced by a length or a transfer coding', () => {
    const hasBody = (fields: string) => {
      const head = read(get(`Host: a\r\n${fields}`, 'POST / HTTP/1.1'))
      return typeof head === 'object' && head.hasBody
    }
    assert.equal(hasBody('X: a'), false)
    assert.equal(hasBody('Content-Length: 0'), false)
    assert.equal(hasBody('Content-Length: 10'), true)
    assert.equal(hasBody(`Content-Length: ${'9'.repeat(400)}`), true)
    assert.equal(hasBody('Transfer-Encoding: Chunked'), true)
    assert.equal(hasBody('Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked'), true)
  })

  test('9.3: a connection is kept by version and option', () => {
    const isKept = (version: string, connection?: string) => {
      const head = read(
        get(`Host: a${connection === undefined ? '' : `\r\nConnection: ${connection}`}`, `GET / ${version}`),
      )
      return typeof head === 'object' && head.keepAlive
    }
    assert.equal(isKept('HTTP/1.1'), true)
    assert.equal(isKept('HTTP/1.1', 'Close'), false)
    assert.equal(isKept('HTTP/1.1', 'upgrade ,\tclose'), false)
    assert.equal(isKept('HTTP/1.1', 'keep-alive, Upgrade'), true)
    assert.equal(isKept('HTTP/1.1', 'closed'), true)
    assert.equal(isKept('HTTP/1.1', 'upgrade\r\nConnection: close'), false)
    assert.equal(isKept('HTTP/1.0'), false)
    assert.equal(isKept('HTTP/1.0', 'Keep-Alive'), true)
    assert.equal(isKept('HTTP/1.0', 'keep-alive, close'), false)
  })
})

test('a field given twice is a list, so that a condition never loses a part', () => {
  const head = read(get('Host: a\r\nIf-None-Match: "a"\r\nX: y\r\nif-none-match: "b"'))
  assert.ok(typeof head === 'object')
  assert.equal(head.headers['if-none-match'], '"a", "b"')
})

test('the first byte that cannot be part of any head is noticed, and no other', () => {
  const whole = 'GET /\xff HTTP/1.1\r\nHost: a\r\nX:\t~\r\n\r\n'
  for (let length = 0; length <= whole.length; length++) {
    assert.equal(hasStrayByte(whole.slice(0, length), 0), false)
    for (const stray of ['\0', '\n\n', '\r\r', '\x1b', '\x7f', 'a\n', '\rb']) {
      const text = whole.slice(0, length) + stray + whole.slice(length)
      assert.equal(hasStrayByte(text, Math.max(0, length - 1)), true, JSON.stringify(text))
    }
  }
})
