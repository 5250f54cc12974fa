import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import {
  checkWith,
  domainWith,
  failedCertificate,
  findingOf,
  heldCertificate,
  inTwoDays,
  later,
  nameserver,
  noon,
  rightCheck,
} from './domain.test-kit.ts'
import { type Phrase, renewalWords, stateLine } from './state-words.ts'

/** The line with a placeholder for every time. */
function line(domain: Partial<Domain>): string {
  return stateLine(domainWith(domain)).map(plain).join('')
}

function plain(phrase: Phrase): string {
  if (typeof phrase === 'string') return phrase
  const [[kind, at]] = Object.entries(phrase) as [[string, string]]
  return `<${kind} ${at.slice(8, 10)}, ${at.slice(11, 19)}>`
}

test('a pending domain says who was asked, when the next check is, and how long they continue', () => {
  const nameservers = ['a', 'b', 'b', 'c', 'd'].map((name) => nameserver(`${name}.ns.cloudflare.com`))
  assert.equal(
    line({
      lastCheck: checkWith({ provider: 'Cloudflare', nameservers }),
      nextCheckAt: later,
      checkedUntil: inTwoDays,
    }),
    'Asked 4 nameservers at Cloudflare <ago 15, 12:00:00> · next check <due 15, 12:00:08>, for <left 17, 12:00:00> more',
  )
})

test('the line names the nameservers that were asked', () => {
  const asked = (more: Parameters<typeof checkWith>[0]) => line({ lastCheck: checkWith(more) })
  assert.equal(asked({ nameservers: [nameserver('ns1')] }), 'Asked 1 nameserver <ago 15, 12:00:00>')
  assert.equal(asked({ source: 'resolvers' }), 'Asked our resolvers <ago 15, 12:00:00>')
  assert.equal(asked({ provider: 'the lab' }), "Asked the lab's nameserver <ago 15, 12:00:00>")
  assert.equal(line({}), 'Added <ago 15, 12:00:00> · first check in a moment')
})

test('a live domain names its certificate authority and when it renews', () => {
  assert.equal(
    line({ state: 'live', certificate: heldCertificate, lastCheck: rightCheck }),
    "Certificate by Let's Encrypt, renews automatically before <date 17, 12:00:00> · DNS checked <ago 15, 12:00:00>",
  )
  const certificate = { ...heldCertificate, issuer: 'The internal CA' }
  assert.match(line({ state: 'live', certificate }), /^Certificate by the internal CA,/)
})

test('a verified domain says how its certificate is progressing', () => {
  const verified = { state: 'verified', verifiedAt: noon } as const
  assert.equal(line(verified), 'DNS verified <ago 15, 12:00:00> · requesting a certificate')
  assert.match(line({ ...verified, certificate: heldCertificate }), /next is our test visit$/)
  assert.match(
    line({ ...verified, certificate: failedCertificate() }),
    /2 attempts to get a certificate failed, the last one <ago 15, 12:00:00>, the next one <due 15, 12:00:08>$/,
  )
  assert.match(
    line({ ...verified, certificate: failedCertificate({}, null) }),
    /the last one <ago 15, 12:00:00>$/,
  )
})

test('a drifted domain says until when it is still served', () => {
  assert.equal(
    line({ state: 'drifted', certificate: heldCertificate, nextCheckAt: later }),
    'DNS no longer points here · still served until its certificate expires on <date 17, 12:00:00> · next check <due 15, 12:00:08>',
  )
})

test('a failed domain says why', () => {
  const failed = (more: Partial<Domain>) => line({ state: 'failed', lastCheck: checkWith(), ...more })
  assert.match(failed({}), /^The record was not found within 48 hours · last checked/)
  assert.match(
    failed({ lastCheck: rightCheck, certificate: failedCertificate({}, null) }),
    /^Let's Encrypt refused/,
  )
  const taken = checkWith({ findings: [findingOf('held_elsewhere', 'stops')] })
  assert.match(failed({ lastCheck: taken }), /^Another account proved that it owns this domain/)
  assert.match(failed({ liveAt: noon }), /^DNS pointed elsewhere until the certificate expired/)
})

test('a suspended domain says when it was live and why it stopped', () => {
  assert.equal(
    line({ state: 'suspended', liveAt: noon }),
    'Was live <ago 15, 12:00:00> · the plan no longer includes custom domains',
  )
})

const held = (more: Partial<typeof heldCertificate>) =>
  renewalWords(domainWith({ state: 'live', certificate: { ...heldCertificate, ...more } }))

test('a renewal says how far it is and how many attempts failed', () => {
  assert.equal(held({}), 'Automatic, well before it expires')
  assert.equal(held({ nextAttemptAt: later }), 'In progress')
  assert.equal(held({ nextAttemptAt: later, attempts: 1 }), 'In progress, 1 attempt failed')
  assert.equal(held({ nextAttemptAt: later, attempts: 3 }), 'In progress, 3 attempts failed')
})

test('no renewal is promised while DNS points elsewhere', () => {
  const drifted = domainWith({ state: 'drifted', certificate: heldCertificate })
  assert.equal(renewalWords(drifted), 'Automatic, once DNS points here again')
})
