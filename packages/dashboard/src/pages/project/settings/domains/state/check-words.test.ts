import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyAnswer } from './check-words.ts'
import {
  checkWith,
  domainWith,
  findingOf,
  heldCertificate,
  inTwoDays,
  noon,
  rightCheck,
} from './domain.test-kit.ts'

test('a requested check is answered by its most blocking finding', () => {
  const findings = [findingOf('cached_not_found', 'tells'), findingOf('cname_missing', 'stops')]
  const domain = domainWith({ lastCheck: checkWith({ findings }) })
  assert.equal(verifyAnswer(domain, 'verify'), 'Not yet: the CNAME record is missing.')
})

test('a name at the start of an answer keeps its capital', () => {
  const findings = [findingOf('cloudflare_proxy', 'stops')]
  assert.match(
    verifyAnswer(domainWith({ lastCheck: checkWith({ findings }) }), 'verify'),
    /: Cloudflare's proxy is in front\.$/,
  )
})

test('an unclear check is not called wrong, and a correct one says what follows', () => {
  const answer = (lastCheck: typeof rightCheck) => verifyAnswer(domainWith({ lastCheck }), 'verify')
  assert.match(answer(checkWith({ outcome: 'unclear' })), /couldn't check DNS/)
  assert.match(answer(rightCheck), /The certificate follows automatically\.$/)
  const held = domainWith({ lastCheck: rightCheck, certificate: heldCertificate })
  assert.equal(verifyAnswer(held, 'verify'), 'DNS is correct.')
})

test('re-verifying says whether a certificate was requested', () => {
  const held = domainWith({ state: 'live', lastCheck: rightCheck, certificate: heldCertificate })
  assert.equal(verifyAnswer(held, 'reverify'), 'DNS is correct. A new certificate was requested.')
  const own = {
    ...{ issuer: 'A CA', serial: '04d8', names: [held.hostname], notBefore: noon, notAfter: inTwoDays },
    ...{ trusted: true, inUse: true, uploadedAt: noon },
  }
  const uploaded = { ...held, certificate: { ...heldCertificate, own } }
  assert.match(verifyAnswer(uploaded, 'reverify'), /No certificate was requested: .* you uploaded\.$/)
})

test('an unknown finding uses the message of the server', () => {
  // From a server that was updated while the page was open.
  const { findings } = JSON.parse(
    '{"findings":[{"code":"newer","effect":"stops","message":"It rains.","fix":""}]}',
  )
  assert.equal(
    verifyAnswer(domainWith({ lastCheck: checkWith({ findings }) }), 'verify'),
    'Not yet: It rains.',
  )
})
