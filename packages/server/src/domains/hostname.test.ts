import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter } from '@masthead/testing/any-character.ts'
import { anyUrl } from '@masthead/testing/any-url.ts'
import fc from 'fast-check'
import { authorities } from '../certificates/authorities/authorities.ts'
import { Problem } from '../kernel/problem.ts'
import {
  describeHostname,
  type HostnameRefusal,
  hostnameRefusals,
  normalizeHostname,
  readHostname,
  readProvable,
} from './hostname.ts'

const naming = { platformDomain: 'masthead.localhost', dashboardHost: 'localhost' }

function refusalOf(typed: string, names = naming): Problem {
  try {
    readHostname(typed, names)
  } catch (error) {
    assert.ok(error instanceof Problem, `${typed}: ${error}`)
    return error
  }
  throw new assert.AssertionError({ message: `${JSON.stringify(typed)} was taken` })
}

test('a name is understood however it is typed or pasted', () => {
  const pasted: [string, string][] = [
    ['www.acme.com', 'www.acme.com'],
    ['  WWW.Acme.COM. ', 'www.acme.com'],
    ['https://WWW.Bücher.example./path?x', 'www.xn--bcher-kva.example'],
    ['https:acme.com', 'acme.com'],
    ['http:///acme.com', 'acme.com'],
    ['//acme.com/', 'acme.com'],
    ['ftp://acme.com', 'acme.com'],
    ['acme.com:8080', 'acme.com'],
    ['acme.com:', 'acme.com'],
    ['https://user:secret@acme.com:443/#top', 'acme.com'],
    ['acme.com?x=1', 'acme.com'],
    ['acme.com\\path', 'acme.com'],
    ['www。acme．com｡', 'www.acme.com'],
    ['ｗｗｗ.ａｃｍｅ.com', 'www.acme.com'],
    ['faß.de', 'xn--fa-hia.de'],
    ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
    ['日本語.jp', 'xn--wgv71a119e.jp'],
    ['a\u00adcme.com', 'acme.com'],
    ['1password.com', '1password.com'],
    ['123.acme.com', '123.acme.com'],
    [`${'a'.repeat(63)}.com`, `${'a'.repeat(63)}.com`],
    ['*.acme.com', '*.acme.com'],
    [' *.ACME.Com. ', '*.acme.com'],
    ['https://*.acme.com/path', '*.acme.com'],
    ["'*.acme.com'", '*.acme.com'],
    ['"*.acme.com"', '*.acme.com'],
    ['＊。acme．com', '*.acme.com'],
    ['*.shop.Bücher.example', '*.shop.xn--bcher-kva.example'],
    ['*.acme.github.io', '*.acme.github.io'],
  ]
  for (const [typed, hostname] of pasted) assert.equal(readHostname(typed, naming).hostname, hostname, typed)
})

test('names that cannot be added are rejected with the reason', () => {
  const refused: [string, HostnameRefusal][] = [
    ['', 'empty'],
    ['https://', 'empty'],
    ['.', 'empty'],
    ['ann@acme.com', 'mail_address'],
    ['mailto:ann@acme.com', 'mail_address'],
    ['*', 'wildcard'],
    ['*.', 'wildcard'],
    ['*.*.acme.com', 'wildcard'],
    ['＊.﹡.acme.com', 'wildcard'],
    ['a*.acme.com', 'wildcard'],
    ['*a.acme.com', 'wildcard'],
    ['**.acme.com', 'wildcard'],
    ['www.*.acme.com', 'wildcard'],
    ['acme.*', 'wildcard'],
    ['*.com', 'wildcard_suffix'],
    ['*.CO.UK.', 'wildcard_suffix'],
    ['＊．co。uk', 'wildcard_suffix'],
    ['*.github.io', 'wildcard_suffix'],
    ['*.公司.cn', 'wildcard_suffix'],
    ['*.xn--55qx5d.cn', 'wildcard_suffix'],
    ['*.Masthead.LOCALHOST.', 'platform'],
    ['*.cname.masthead.localhost', 'platform'],
    ['*.localhost', 'dashboard'],
    ['*.acme.onion', 'special_use'],
    ['*.192.0.2.1', 'address'],
    ['*..acme.com', 'label_empty'],
    ['\\*.acme.com', 'empty'],
    ['%2A.acme.com', 'characters'],
    [`*.${'a'.repeat(62)}.${'b'.repeat(62)}.${'c'.repeat(62)}.${'d'.repeat(59)}.com`, 'name_too_long'],
    ['127.0.0.1', 'address'],
    ['http://127.1:80/', 'address'],
    ['0x7f.1', 'address'],
    ['2130706433', 'address'],
    ['１２７.0.0.1', 'address'],
    ['1.2.3.4.5', 'address'],
    ['acme.1', 'address'],
    ['::1', 'address'],
    ['https://[2001:db8::1]:8443/', 'address'],
    ['fe80::1%eth0', 'address'],
    ['a_b.acme.com', 'underscore'],
    ['_dmarc.acme.com', 'underscore'],
    ['ac me.com', 'characters'],
    ['acme%2ecom', 'characters'],
    ['acme!.com', 'characters'],
    ['acme.com:port', 'characters'],
    ['[acme].com', 'characters'],
    ['https://[acme.com]/', 'characters'],
    ['acme.com\u0000', 'characters'],
    ['acme\u200d.com', 'unicode'],
    ['\u202eacme.com', 'unicode'],
    ['xn--a.com', 'punycode'],
    ['xn--.com', 'punycode'],
    ['xn--acme-.com', 'punycode'],
    ['acme..com', 'label_empty'],
    ['.acme.com', 'label_empty'],
    ['acme.com..', 'label_empty'],
    [`${'a'.repeat(64)}.com`, 'label_too_long'],
    [`${'é'.repeat(62)}.com`, 'label_too_long'],
    [`${'abcdefg.'.repeat(32)}com`, 'name_too_long'],
    ['-acme.com', 'hyphens'],
    ['acme-.com', 'hyphens'],
    ['ab--cd.com', 'hyphens'],
    ['-ü.com', 'hyphens'],
    ['masthead.localhost', 'platform'],
    ['k3v9x2m1qp.cname.masthead.localhost', 'platform'],
    ['localhost', 'dashboard'],
    ['acme.local', 'special_use'],
    ['www.acme.onion', 'special_use'],
    ['acme.invalid', 'special_use'],
    ['1.2.0.192.in-addr.arpa', 'special_use'],
    ['b.d.0.1.0.0.2.ip6.arpa', 'special_use'],
    ['acme', 'single_label'],
    ['co.uk', 'public_suffix'],
    ['https://github.io', 'public_suffix'],
  ]
  for (const [typed, reason] of refused) assert.equal(refusalOf(typed).extra.reason, reason, typed)
  const proofs = () => readProvable('*.Acme.com', naming)
  assert.throws(proofs, /"\*\.Acme\.com" is a wildcard; prove acme\.com instead, which includes it\./)
  // One depends on the certificate authority, the other is about proofs.
  const others = ['no_public_certificate', 'wildcard_proof'] as const
  const shown = new Set<HostnameRefusal>([...refused.map(([, reason]) => reason), ...others])
  assert.deepEqual([...shown].sort(), Object.keys(hostnameRefusals).sort(), 'every reason can occur')
})

test("only the platform's own names are the platform's", () => {
  const names = { platformDomain: 'pages.example', dashboardHost: 'console.acme.com' }
  assert.equal(refusalOf('a.b.pages.example', names).extra.reason, 'platform')
  assert.equal(refusalOf('console.acme.com', names).extra.reason, 'dashboard')
  assert.equal(readHostname('mypages.example', names).hostname, 'mypages.example')
  assert.equal(readHostname('www.console.acme.com', names).hostname, 'www.console.acme.com')
})

test('the error names the input and the reason in a sentence', () => {
  const problem = refusalOf('ann@acme.com')
  assert.equal(problem.message, '"ann@acme.com" is an email address; did you mean acme.com?')
  assert.deepEqual(problem.extra.errors, [{ path: 'hostname', message: problem.message }])
  assert.equal(
    refusalOf('co.uk').message,
    '"co.uk" is a public suffix, under which others register; enter your own domain, such as acme.co.uk.',
  )
  const hostile = refusalOf(`a\u001b[31m\u202e ${'x'.repeat(900)}`)
  assert.doesNotMatch(hostile.message, /\p{C}/u)
  assert.ok(hostile.message.length < 400)
})

test('an apex is the registrable domain, and anything below it is a subdomain', () => {
  const kinds: [string, 'apex' | 'subdomain', string][] = [
    ['acme.com', 'apex', 'acme.com'],
    ['www.acme.com', 'subdomain', 'acme.com'],
    ['acme.co.uk', 'apex', 'acme.co.uk'],
    ['a.b.acme.co.uk', 'subdomain', 'acme.co.uk'],
    ['acme.github.io', 'apex', 'acme.github.io'],
    ['docs.acme.github.io', 'subdomain', 'acme.github.io'],
    ['acme.localhost', 'apex', 'acme.localhost'],
    ['www.acme.localhost', 'subdomain', 'acme.localhost'],
    ['acme.test', 'apex', 'acme.test'],
  ]
  for (const [typed, kind, registrable] of kinds) {
    const { hostname, unicode } = readHostname(typed, naming)
    assert.deepEqual(describeHostname(hostname), { hostname, unicode, kind, registrable })
  }
})

test('a wildcard is of the domain below its star', () => {
  const wildcards: [string, string, string][] = [
    ['*.acme.com', 'acme.com', '*.acme.com'],
    ['*.a.b.acme.co.uk', 'acme.co.uk', '*.a.b.acme.co.uk'],
    ['*.xn--bcher-kva.example', 'xn--bcher-kva.example', '*.bücher.example'],
  ]
  for (const [hostname, registrable, unicode] of wildcards) {
    assert.deepEqual(describeHostname(hostname), { hostname, unicode, kind: 'wildcard', registrable })
    assert.equal(normalizeHostname(`${unicode.toUpperCase()}.`), hostname)
  }
})

test('a name is shown in both forms', () => {
  const { hostname, unicode } = readHostname('WWW.BÜCHER.example', naming)
  assert.deepEqual([hostname, unicode], ['www.xn--bcher-kva.example', 'www.bücher.example'])
})

const nameLike = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  anyUrl,
  fc
    .array(fc.string({ unit: fc.constantFrom(...'aZ09-_xn.。:/@*%[]ßüéא日١\u200d\u00ad '), maxLength: 12 }))
    .map((labels) => labels.join('.')),
  fc
    .array(fc.string({ unit: fc.constantFrom(...'abz019-'), maxLength: 9 }))
    .map((ends) => `xn--${ends.join('.')}.com`),
  anyUrl.map((url) => url.replace('://', '://*.')),
)

test('any input gives a valid name that normalizes to itself, or a Problem', () => {
  const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
  let taken = 0
  fc.assert(
    fc.property(nameLike, (typed) => {
      let name: ReturnType<typeof readHostname>
      try {
        name = readHostname(typed, naming)
      } catch (error) {
        assert.ok(error instanceof Problem && error.code === 'hostname_invalid', String(error))
        return
      }
      taken++
      const labels = name.hostname.replace(/^\*\./, '').split('.')
      assert.ok(name.hostname.length <= 253 && labels.every((part) => label.test(part)))
      assert.ok(name.hostname === name.registrable || name.hostname.endsWith(`.${name.registrable}`))
      assert.deepEqual(readHostname(name.hostname, naming), name)
      assert.deepEqual(readHostname(name.unicode, naming), name)
    }),
    { numRuns: 5_000 },
  )
  assert.ok(taken > 100, `only ${taken} names were taken`)
})

test('a name that no public authority can sign is rejected with one, and accepted with others', () => {
  const { directoryUrl } = authorities.letsencrypt
  const names = ['shop.example', 'a.b.internal', 'wiki.alt', 'nas.home.arpa', 'www.acme.test', 'x.localhost']
  const withCa = (...ids: string[]) => ({
    ...naming,
    authorities: ids.map((id) => ({ id, identities: [] })),
  })
  for (const name of names) {
    for (const known of Object.values(authorities)) {
      const { code, extra } = refusalOf(name, withCa(known.directoryUrl))
      assert.deepEqual([code, extra?.reason], ['hostname_invalid', 'no_public_certificate'], name)
    }
    for (const own of ['internal', 'https://ca.corp.internal/directory']) {
      assert.equal(readHostname(name, withCa(own)).hostname, name)
      assert.equal(readHostname(name, withCa(directoryUrl, own)).hostname, name)
    }
  }
  for (const name of ['internal.acme.com', 'example.org', 'altair.com']) {
    assert.equal(readHostname(name, withCa(directoryUrl)).hostname, name)
  }
})
