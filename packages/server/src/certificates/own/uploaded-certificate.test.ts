import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { encryption, type OpensslCa, startOpensslCa } from '@masthead/testing/peers/openssl-ca.ts'
import { day, hour } from '../../kernel/clock.ts'
import { keyWeakness } from './key-strength.ts'
import { readUploadedCertificate, type UploadedCertificate } from './uploaded-certificate.ts'

const hostname = 'www.acme.com'
/** After all of the certificates below are issued. */
const now = Date.now() + hour
let ca: OpensslCa

before(async () => {
  ca = await startOpensslCa()
})
after(() => ca.remove())

function read(chain: string, key: string, at = now, of = hostname) {
  return readUploadedCertificate({ chain, key }, { hostname: of, now: at })
}

function accepted(chain: string, key: string): UploadedCertificate {
  const result = read(chain, key)
  if ('faults' in result) assert.fail(JSON.stringify(result.faults))
  return result
}

function faults(chain: string, key: string, at = now): string {
  const result = read(chain, key, at)
  if (!('faults' in result)) assert.fail('It was accepted')
  return result.faults.map(({ path, message }) => `${path} ${message}`).join('\n')
}

test('a chain is put in order, without repeated certificates and the root', async () => {
  const { leaf, key } = await ca.issue({ names: [hostname] })
  const inOrder = accepted(leaf + ca.intermediate, key)
  assert.equal(inOrder.chainPem, leaf + ca.intermediate)
  for (const chain of [
    ca.intermediate + leaf,
    leaf + ca.intermediate + ca.root,
    ca.root + ca.intermediate + leaf + leaf,
  ]) {
    assert.equal(accepted(chain, key).chainPem, inOrder.chainPem)
  }
  assert.deepEqual(inOrder.names, [hostname])
  assert.equal(inOrder.issuerTitle, 'Test Intermediate')
  assert.equal(inOrder.isTrusted, false)
  assert.match(inOrder.keyPem, /^-----BEGIN PRIVATE KEY-----\n/)
})

test('PEM is read however it is spelled', async () => {
  const { leaf, key, traditional } = await ca.issue({ names: [hostname] })
  const sec1 = await traditional()
  const wanted = accepted(leaf, key)
  const bag = `Bag Attributes\n    friendlyName: www\nsubject=CN = www\n`
  for (const spelled of [
    leaf.replaceAll('\n', '\r\n'),
    `\ufeff${bag}${leaf}\n\nKey Attributes: <No Attributes>\n`,
    leaf.replaceAll(/^/gm, '    '),
    leaf.replaceAll('\n', '\\n'),
    leaf.replaceAll('BEGIN CERT', 'BEGIN X509 CERT').replaceAll('END CERT', 'END X509 CERT'),
    leaf + key,
  ]) {
    assert.deepEqual(accepted(spelled, key), wanted)
  }
  for (const spelled of [sec1, sec1.replaceAll('\n', '\r\n'), key + leaf, `${bag}${key}`]) {
    assert.equal(accepted(leaf, spelled).keyPem, wanted.keyPem)
  }
  const rsa = await ca.issue({ names: [hostname], key: 'rsa:2048' })
  const pkcs1 = await rsa.traditional()
  assert.match(pkcs1, /BEGIN RSA PRIVATE KEY/)
  assert.equal(accepted(rsa.leaf, pkcs1).keyPem, accepted(rsa.leaf, rsa.key).keyPem)
})

test('names count by RFC 6125: a wildcard covers one label, and the common name nothing', async () => {
  const covering = [[hostname], ['acme.com', 'WWW.ACME.COM'], ['*.acme.com']]
  const other = [
    ['acme.com'],
    ['*.com'],
    ['*.www.acme.com'],
    ['w*.acme.com'],
    ['www.acme.com.evil.example'],
    [],
  ]
  for (const names of covering) {
    const { leaf, key } = await ca.issue({ names })
    accepted(leaf, key)
  }
  for (const names of other) {
    const { leaf, key } = await ca.issue({ names })
    assert.match(faults(leaf, key), /^chain is not for www\.acme\.com\. It is for /)
  }
})

test('a wildcard domain needs the same wildcard in the certificate', async () => {
  for (const [names, isFor] of [
    [['acme.com', '*.ACME.com'], true],
    [['www.acme.com'], false],
    [['acme.com'], false],
    [['*.com'], false],
    [['*.www.acme.com'], false],
  ] as const) {
    const { leaf, key } = await ca.issue({ names: [...names] })
    assert.equal('faults' in read(leaf, key, now, '*.acme.com'), !isFor, names.join())
  }
})

test('what is wrong with the key is said, without a word of it', async () => {
  const issued = await ca.issue({ names: [hostname] })
  const { leaf, key } = issued
  const encrypted = await issued.encrypted()
  const encryptedOld = await issued.traditional(...encryption)
  const { key: other } = await ca.issue({ names: [hostname] })
  assert.match(faults(leaf, other), /^key does not belong to the certificate \(www\.acme\.com\)/)
  for (const pem of [encrypted, encryptedOld])
    assert.match(faults(leaf, pem), /^key is encrypted with a passphrase/)
  assert.match(faults(leaf, leaf), /^key contains no private key.*It contains a certificate instead/)
  assert.match(faults(leaf, 'hello'), /^key contains no private key/)
  assert.match(faults(leaf, key + other), /^key contains several private keys/)
  const damaged = key.replace(/[\w+/]{20}\n/, '\n')
  assert.match(faults(leaf, damaged), /^key cannot be read/)
  const openssh = key.replaceAll('PRIVATE KEY', 'OPENSSH PRIVATE KEY')
  assert.match(faults(leaf, openssh), /^key is of the kind OPENSSH PRIVATE KEY/)
  for (const pem of [other, encrypted, damaged, openssh, key + other]) {
    const lines = pem.split('\n').filter((line) => /^[\w+/]{30,}/.test(line))
    assert.ok(lines.length > 0 && lines.every((line) => !faults(leaf, pem).includes(line)))
  }
})

test('what is wrong with the chain is said', async () => {
  const { leaf, key } = await ca.issue({ names: [hostname] })
  const stranger = await ca.issue({ names: ['other.example'] })
  assert.match(faults('', key), /^chain contains no certificate/)
  assert.match(
    faults(leaf + stranger.leaf, key),
    /^chain contains other\.example, issued by Test Intermediate, which does not/,
  )
  assert.match(faults(ca.intermediate, ca.intermediateKey), /key of a certificate authority/)
  assert.match(faults(leaf.repeat(11), key), /^chain contains 11 certificates/)
  assert.match(
    faults(leaf + leaf.replace(/[\w+/]{40}\n/, '\n'), key),
    /^chain cannot be read: certificate 2 is damaged/,
  )
  assert.match(faults(leaf, key, now + 400 * day), /^chain has expired: www\.acme\.com was valid until 20/)
  assert.match(faults(leaf, key, now - 400 * day), /^chain is not valid yet: /)
  const client = await ca.issue({ names: [hostname], usage: 'clientAuth' })
  assert.match(faults(client.leaf, client.key), /^chain is not for servers/)
})

test('weak keys and signatures are refused, and those that browsers do not know', async () => {
  for (const [key, words] of [
    ['rsa:1024', /RSA key of 1024 bits\. Browsers require at least 2048/],
    ['ec:secp521r1', /curve secp521r1\. Use P-256 or P-384/],
    ['ed25519', /kind ed25519/],
  ] as const) {
    const weak = await ca.issue({ names: [hostname], key })
    assert.match(faults(weak.leaf, weak.key), words)
  }
  const p384 = await ca.issue({ names: [hostname], key: 'ec:secp384r1' })
  accepted(p384.leaf, p384.key)
  const sha1 = await ca.issue({ names: [hostname], digest: 'sha1' })
  assert.match(faults(sha1.leaf, sha1.key), /is signed with \S*SHA-?1\S*, which browsers refuse/i)
})

test('RSA keys of servers have 2048 to 4096 bits, those of authorities up to 8192', () => {
  const rsa = (modulusLength: number) =>
    ({ asymmetricKeyType: 'rsa', asymmetricKeyDetails: { modulusLength } }) as const
  assert.match(keyWeakness(rsa(2047), 'server') ?? '', /at least 2048/)
  assert.match(keyWeakness(rsa(4097), 'server') ?? '', /at most 4096/)
  assert.match(keyWeakness(rsa(8193), 'authority') ?? '', /at most 8192/)
  assert.equal(keyWeakness(rsa(2048), 'server') ?? keyWeakness(rsa(4096), 'server'), null)
  assert.equal(keyWeakness(rsa(8192), 'authority'), null)
  const slow = {
    ...rsa(3072),
    asymmetricKeyDetails: { modulusLength: 3072, publicExponent: 2n ** 3071n + 1n },
  }
  assert.match(keyWeakness(slow, 'authority') ?? '', /unusual exponent/)
})

test('any text is answered with faults', () => {
  const parts = ['-----BEGIN ', 'CERTIFICATE', '-----', '-----END ', 'PRIVATE KEY', 'MII=', '\n', '\0', '\\n']
  for (let seed = 1; seed < 400; seed++) {
    const text = Array.from(
      { length: 12 },
      (_, index) => parts[(seed * (index + 7) ** 2) % parts.length],
    ).join('')
    assert.ok('faults' in read(text, text))
  }
  assert.ok('faults' in read('-----BEGIN CERTIFICATE-----'.repeat(2_000), '-'.repeat(20_000)))
})
