import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyAnswer } from './check-words.ts'
import { checkWith, domainWith, findingOf, heldCertificate, rightCheck } from './domain.test-kit.ts'

test('a look that was asked for is answered by what stops the domain most', () => {
  const findings = [findingOf('cached_not_found', 'tells'), findingOf('cname_missing', 'stops')]
  const domain = domainWith({ lastCheck: checkWith({ findings }) })
  assert.equal(verifyAnswer(domain), 'Not yet: the CNAME record is missing.')
})

test('a name at the beginning of an answer keeps its capital', () => {
  const findings = [findingOf('cloudflare_proxy', 'stops')]
  assert.match(
    verifyAnswer(domainWith({ lastCheck: checkWith({ findings }) })),
    /: Cloudflare's proxy is in front\.$/,
  )
})

test('what could not be judged is not called wrong, and what is right says what follows', () => {
  const answer = (lastCheck: typeof rightCheck) => verifyAnswer(domainWith({ lastCheck }))
  assert.match(answer(checkWith({ outcome: 'unclear' })), /could not be judged/)
  assert.match(answer(rightCheck), /The certificate follows by itself\.$/)
  const held = domainWith({ lastCheck: rightCheck, certificate: heldCertificate })
  assert.equal(verifyAnswer(held), 'DNS is right.')
})

test('a finding that this page has no words for is told in those of the server', () => {
  // As it comes from a server that was updated while the page was open.
  const { findings } = JSON.parse(
    '{"findings":[{"code":"newer","effect":"stops","message":"It rains.","fix":""}]}',
  )
  assert.equal(verifyAnswer(domainWith({ lastCheck: checkWith({ findings }) })), 'Not yet: It rains.')
})
