import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EventType, eventTypes } from '@masthead/contract/events.ts'
import { eventSentence } from './event-sentence.ts'
import type { Sentence } from './sentence.ts'

const hostname = 'www.acme.com'
const email = 'ada@example.com'
const slug = 'handbook'
const name = 'ci-deploy'
const deploymentId = 'dpl_1'

function plainWords(sentence: Sentence): string {
  return sentence.map((part) => (typeof part === 'string' ? part : part.name)).join('')
}

type Example = [data: Record<string, unknown>, words: string]

/** With the data that the server records. A type without an example fails the first test. */
const examples: Record<EventType, Example[]> = {
  'account.created': [[{}, 'The account was created']],
  'account.renamed': [[{ name: 'Acme' }, 'The account was renamed to Acme']],
  'account.plan_changed': [[{ plan: 'pro' }, 'The plan is now Pro']],
  'account.quota_warning': [
    [{ used: 8000, limit: 10_000, percent: 80 }, '8,000 of 10,000 daily requests were used'],
    [{ used: 10_000, limit: 10_000, percent: 100 }, 'All 10,000 daily requests were used'],
  ],
  'member.joined': [[{ email, role: 'owner' }, 'ada@example.com joined as an owner']],
  'member.role_changed': [[{ email, role: 'viewer' }, 'ada@example.com’s role is now viewer']],
  'account.suspended': [[{ reason: 'Unpaid.' }, 'The account was suspended: Unpaid.']],
  'account.restored': [[{}, 'The account was restored']],
  'account.deleted': [[{}, 'The account was deleted']],
  'member.left': [[{ email }, 'ada@example.com left the account']],
  'member.changed': [
    [{ email, change: { name: 'Ada L.' } }, 'ada@example.com changed their name to Ada L.'],
    [{ email, change: { email: 'a@b.c' } }, 'ada@example.com now signs in as a@b.c'],
  ],
  'member.password_changed': [[{ email }, 'ada@example.com changed their password']],
  'member.reset_link_created': [[{ email }, 'A password reset link was created for ada@example.com']],
  'member.password_reset': [[{ email }, 'ada@example.com reset their password with a link']],
  'member.operator_changed': [
    [{ email, operator: true }, 'ada@example.com is now an operator of this server'],
    [{ email, operator: false }, 'ada@example.com is no longer an operator of this server'],
  ],
  'project.taken_down': [
    [{ slug: 'site', reason: 'A court order.' }, 'The site site was taken down: A court order.'],
  ],
  'project.restored': [[{ slug: 'site' }, 'The site site was restored']],
  'member.removed': [[{ email }, 'ada@example.com was removed from the account']],
  'member.signed_in': [
    [{ email, network: '192.0.2.1', known: true }, 'ada@example.com signed in from 192.0.2.1'],
    [
      { email, network: '192.0.2.1', known: false },
      'ada@example.com signed in from a new location, 192.0.2.1',
    ],
  ],
  'member.sign_in_failed': [
    [
      { email, network: '192.0.2.1', failures: 2_500 },
      '2,500 failed attempts to sign in as ada@example.com, most recently from 192.0.2.1',
    ],
  ],
  'invitation.created': [[{ email, role: 'developer' }, 'ada@example.com was invited as a developer']],
  'invitation.revoked': [[{ email }, 'The invitation for ada@example.com was revoked']],
  'key.created': [[{ keyId: 'key_1', name }, 'The API key ci-deploy was created']],
  'key.revoked': [[{ keyId: 'key_1', name }, 'The API key ci-deploy was revoked']],
  'key.banned': [
    [
      { keyId: 'key_1', name, until: new Date(2026, 10, 15, 18, 51).toISOString(), violations: 612 },
      'The API key ci-deploy was banned until 15 November at 18:51: it sent 612 requests after being told to wait',
    ],
  ],
  'key.unbanned': [[{ keyId: 'key_1', name }, 'The ban on the API key ci-deploy was lifted']],
  'project.created': [[{ slug }, 'The project handbook was created']],
  'project.changed': [
    [{ name: 'The handbook' }, 'Project settings changed: name is now The handbook'],
    [
      { slug: 'guide', htmlHandling: 'none', singlePage: true, strictTransportSecurity: false },
      'Project settings changed: slug is now guide, HTML paths are “Exact paths and folder indexes only, no redirects”, single-page app is on, HSTS is off',
    ],
  ],
  'project.deleted': [[{ slug }, 'The project handbook was deleted']],
  'project.protected': [
    [{ slug, scope: 'site', password: true }, 'A password was set for handbook'],
    [
      { slug, scope: 'previews', password: false },
      'Password protection was changed for previews of handbook',
    ],
  ],
  'project.unprotected': [[{ slug }, 'The password of handbook was removed']],
  'deployment.ready': [
    [{ deploymentId, files: 1 }, 'A deployment is ready, with 1 file'],
    [{ deploymentId, files: 1200, message: 'Fix <b>' }, 'Fix <b> is ready, with 1,200 files'],
  ],
  'deployment.activated': [
    [{ deploymentId }, 'A deployment went live'],
    [{ deploymentId, branch: 'main', commit: '8f14e45fceea167a' }, 'main at 8f14e45 went live'],
  ],
  'deployment.deleted': [[{ deploymentId: 'dpl_1', message: 'Fix' }, 'Fix was deleted']],
  'domain.added': [[{ hostname }, 'www.acme.com was added']],
  'domain.branch_changed': [
    [{ hostname, branch: 'next' }, 'www.acme.com was set to show the branch next'],
    [{ hostname, branch: null }, 'www.acme.com was set to show what is live'],
  ],
  'domain.proxied_changed': [
    [{ hostname, provider: 'cloudflare' }, 'www.acme.com was marked as behind Cloudflare'],
    [{ hostname, provider: 'other' }, 'www.acme.com was marked as behind another proxy or CDN'],
    [{ hostname, provider: 'unheard-of' }, 'www.acme.com was marked as behind a proxy'],
    [{ hostname, provider: null }, 'www.acme.com is no longer marked as behind a proxy'],
  ],
  'domain.moved': [[{ hostname, from: 'old', to: 'new' }, 'www.acme.com was moved from old to new']],
  'domain.verified': [[{ hostname }, 'DNS for www.acme.com was verified']],
  'domain.live': [[{ hostname, evidence: {} }, 'www.acme.com is live with a valid certificate']],
  'domain.drifted': [[{ hostname }, 'DNS for www.acme.com no longer points here']],
  'domain.recovered': [[{ hostname }, 'DNS for www.acme.com points here again']],
  'domain.failed': [
    [{ hostname, reason: 'dns' }, 'www.acme.com was stopped: its DNS record was not found in time'],
    [
      { hostname, reason: 'certificate_refused' },
      'www.acme.com was stopped: the certificate authority refused to issue a certificate',
    ],
    [
      { hostname, reason: 'certificate_expired' },
      'www.acme.com was stopped: its DNS pointed elsewhere until the certificate expired',
    ],
  ],
  'domain.lost': [
    [{ hostname }, 'www.acme.com moved to another account, which proved that it controls the domain'],
  ],
  'domain.proof_asked': [
    [
      { hostname, dueAt: '2026-12-15T10:00:00.000Z' },
      'www.acme.com needs a DNS record that proves you own it, by 2026-12-15',
    ],
  ],
  'domain.proof_found': [[{ hostname }, 'The ownership record for www.acme.com was found']],
  'domain.suspended': [
    [{ hostname }, 'www.acme.com was suspended: the plan does not include custom domains'],
  ],
  'domain.resumed': [[{ hostname }, 'www.acme.com was resumed']],
  'domain.certificate_uploaded': [[{ hostname }, 'A certificate of your own was uploaded for www.acme.com']],
  'domain.certificate_removed': [[{ hostname }, 'Masthead takes over the certificate of www.acme.com']],
  'domain.certificate_expiring': [
    [{ hostname, days: 14 }, 'Your certificate for www.acme.com expires in 14 days'],
    [{ hostname, days: 1 }, 'Your certificate for www.acme.com expires in 1 day'],
  ],
  'domain.removed': [[{ hostname }, 'www.acme.com was removed']],
  'domain.config_changed': [
    [{ primary: hostname, redirects: 0 }, 'www.acme.com is the primary domain, with no redirects'],
    [{ primary: hostname, redirects: 1 }, 'www.acme.com is the primary domain, with 1 redirect'],
    [{ primary: hostname, redirects: 2 }, 'www.acme.com is the primary domain, with 2 redirects'],
  ],
  'publisher.added': [
    [
      { name: 'GitHub Actions (acme/site)', slug: 'site' },
      'GitHub Actions (acme/site) was trusted to deploy to site',
    ],
  ],
  'publisher.used': [[{ slug: 'site' }, 'A pipeline exchanged its token for a key for site']],
  'publisher.refused': [
    [
      { slug: 'site', detail: 'The token has expired.' },
      'A token of a pipeline for site was refused: The token has expired.',
    ],
  ],
  'publisher.removed': [
    [
      { name: 'GitHub Actions (acme/site)', slug: 'site' },
      'GitHub Actions (acme/site) is no longer trusted to deploy to site',
    ],
  ],
  'proof.started': [[{ domain: 'acme.com' }, 'The proof of acme.com was started']],
  'proof.found': [[{ domain: 'acme.com' }, 'acme.com was proved: everything below it is yours']],
  'proof.drifted': [
    [{ domain: 'acme.com' }, 'The record that proves acme.com is missing: the proof ends in 30 days'],
  ],
  'proof.recovered': [[{ domain: 'acme.com' }, 'The record that proves acme.com is back']],
  'proof.ended': [[{ domain: 'acme.com' }, 'The proof of acme.com ended: its record was not found in time']],
  'proof.lost': [[{ domain: 'acme.com' }, 'Another account proved acme.com, so your proof ended']],
  'proof.removed': [[{ domain: 'acme.com' }, 'The proof of acme.com was removed']],
  'webhook.created': [[{ host: 'acme.com' }, 'A webhook to acme.com was created']],
  'webhook.changed': [
    [{ host: 'acme.com', enabled: true }, 'The webhook to acme.com was changed'],
    [{ host: 'acme.com', enabled: false }, 'The webhook to acme.com was paused'],
  ],
  'webhook.secret_rotated': [[{ host: 'acme.com' }, 'The secret of the webhook to acme.com was rotated']],
  'webhook.disabled': [
    [{ host: 'acme.com', reason: 'gone' }, 'The webhook to acme.com was disabled: its endpoint is gone'],
    [
      { host: 'acme.com', reason: 'failing' },
      'The webhook to acme.com was disabled: it failed for five days',
    ],
  ],
  'webhook.removed': [[{ host: 'acme.com' }, 'The webhook to acme.com was removed']],
}

for (const type of eventTypes) {
  test(`${type} has a sentence that names what it is about`, () => {
    assert.ok(examples[type].length > 0)
    for (const [data, words] of examples[type]) {
      assert.equal(plainWords(eventSentence({ type, data })), words)
    }
  })

  test(`${type} has a complete sentence even if its data is missing or malformed`, () => {
    const something = new Proxy({}, { get: () => ({ not: 'a name' }) })
    for (const data of [{}, something]) {
      const words = plainWords(eventSentence({ type, data }))
      assert.match(words, /^[A-Z]/)
      assert.doesNotMatch(words, /undefined|null|NaN|object|Invalid/)
    }
  })
}

test('a hostname is shown in Unicode and linked in its ASCII form', () => {
  const ascii = 'xn--bcher-kva.example'
  const parts = (type: EventType) => eventSentence({ type, data: { hostname: ascii } })
  assert.deepEqual(parts('domain.added')[0], { name: 'bücher.example', is: 'domain', foundBy: ascii })
  assert.deepEqual(parts('domain.removed')[0], { name: 'bücher.example', is: 'text' })
})

test('an existing domain is a link, a removed one is not', () => {
  const linked = (type: EventType) => eventSentence({ type, data: { hostname } })[0]
  assert.deepEqual(linked('domain.added'), { name: hostname, is: 'domain', foundBy: hostname })
  assert.deepEqual(linked('domain.removed'), { name: hostname, is: 'text' })
})
