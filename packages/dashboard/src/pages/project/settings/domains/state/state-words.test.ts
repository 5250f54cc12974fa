import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
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

/** The line with a mark in place of every time. */
function line(domain: Partial<Domain>): string {
  return stateLine(domainWith(domain)).map(plain).join('')
}

function plain(phrase: Phrase): string {
  if (typeof phrase === 'string') return phrase
  const [[kind, at]] = Object.entries(phrase) as [[string, string]]
  return `<${kind} ${at.slice(8, 10)}, ${at.slice(11, 19)}>`
}

test('a domain that waits says who was asked, when next, and how long it goes on', () => {
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

test('who was asked is told as it was', () => {
  const asked = (more: Parameters<typeof checkWith>[0]) => line({ lastCheck: checkWith(more) })
  assert.equal(asked({ nameservers: [nameserver('ns1')] }), 'Asked one nameserver <ago 15, 12:00:00>')
  assert.equal(asked({ source: 'resolvers' }), 'Asked our resolvers <ago 15, 12:00:00>')
  assert.equal(asked({ provider: 'the lab' }), 'Asked the nameserver of the lab <ago 15, 12:00:00>')
  assert.equal(line({}), 'Added <ago 15, 12:00:00> · the first look comes in a moment')
})

test('a live domain says whose certificate it has and that it is looked after', () => {
  assert.equal(
    line({ state: 'live', certificate: heldCertificate, lastCheck: rightCheck }),
    "Certificate by Let's Encrypt, renews by itself before <date 17, 12:00:00> · DNS checked <ago 15, 12:00:00>",
  )
  const certificate = { ...heldCertificate, issuer: 'The internal CA' }
  assert.match(line({ state: 'live', certificate }), /^Certificate by the internal CA,/)
})

test('a verified domain says what became of its certificate', () => {
  const verified = { state: 'verified', verifiedAt: noon } as const
  assert.equal(line(verified), 'DNS is right, seen <ago 15, 12:00:00> · the certificate is on its way')
  assert.match(line({ ...verified, certificate: heldCertificate }), /our own test visit comes next$/)
  assert.match(
    line({ ...verified, certificate: failedCertificate() }),
    /2 attempts to get a certificate failed, the last one <ago 15, 12:00:00>, the next one <due 15, 12:00:08>$/,
  )
  assert.match(
    line({ ...verified, certificate: failedCertificate({}, null) }),
    /the last one <ago 15, 12:00:00>$/,
  )
})

test('a domain that drifted says until when it is still served', () => {
  assert.equal(
    line({ state: 'drifted', certificate: heldCertificate, nextCheckAt: later }),
    'DNS no longer points here · still served until its certificate ends on <date 17, 12:00:00> · next check <due 15, 12:00:08>',
  )
})

test('a domain that stopped says why', () => {
  const failed = (more: Partial<Domain>) => line({ state: 'failed', lastCheck: checkWith(), ...more })
  assert.match(failed({}), /^The record was looked for during 48 hours and not found · last looked/)
  assert.match(
    failed({ lastCheck: rightCheck, certificate: failedCertificate({}, null) }),
    /^Let's Encrypt refused/,
  )
  const taken = checkWith({ findings: [findingOf('held_elsewhere', 'stops')] })
  assert.match(failed({ lastCheck: taken }), /^Another account proved this name/)
  assert.match(failed({ liveAt: noon }), /^DNS pointed elsewhere until the certificate ended/)
})

test('a suspended domain says since when it was live and what stopped it', () => {
  assert.equal(
    line({ state: 'suspended', liveAt: noon }),
    'Was live <ago 15, 12:00:00> · the plan no longer includes custom domains',
  )
})

const held = (more: Partial<typeof heldCertificate>) =>
  renewalWords(domainWith({ state: 'live', certificate: { ...heldCertificate, ...more } }))

test('a renewal is told as it stands, with what went wrong on the way', () => {
  assert.equal(held({}), 'By itself, well before it ends')
  assert.equal(held({ nextAttemptAt: later }), 'Under way')
  assert.equal(held({ nextAttemptAt: later, attempts: 1 }), 'Under way, one attempt failed')
  assert.equal(held({ nextAttemptAt: later, attempts: 3 }), 'Under way, 3 attempts failed')
})

test('no renewal is promised while DNS points elsewhere', () => {
  const drifted = domainWith({ state: 'drifted', certificate: heldCertificate })
  assert.equal(renewalWords(drifted), 'By itself, once DNS points here again')
})
