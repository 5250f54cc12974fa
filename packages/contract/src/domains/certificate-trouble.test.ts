import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Finding } from '../schemas/domains/dns-check.ts'
import type { Domain } from '../schemas/domains/domain.ts'
import { certificateTroubleOf, otherFindings } from './certificate-trouble.ts'

const caa: Finding = {
  code: 'caa_blocks',
  effect: 'tells',
  message: 'A CAA record forbids it.',
  fix: 'Add one.',
}
const other: Finding = { code: 'wildcard_answer', effect: 'tells', message: 'A wildcard.', fix: '' }
const add = { type: 'CAA', fqdn: 'acme.com', value: '0 issue "ca.example"' }

function domainWith(
  state: Domain['state'],
  {
    error = null as null | { add: typeof add | null; next: string | null },
    findings = [] as Finding[],
    valid = false,
  },
): Pick<Domain, 'state' | 'certificate' | 'lastCheck'> {
  const at = '2026-11-14T12:00:00Z'
  const lastError =
    error === null
      ? null
      : {
          kind: 'x',
          at,
          authority: 'CA',
          message: 'No.',
          hint: '',
          said: null,
          problem: null,
          add: error.add,
        }
  return {
    state,
    certificate: {
      status: valid ? 'valid' : 'pending',
      issuer: null,
      serial: null,
      notAfter: null,
      attempts: 1,
      lastError,
      nextAttemptAt: error?.next ?? null,
      passedOver: [],
      own: null,
    },
    lastCheck: {
      at,
      ok: true,
      outcome: 'right',
      findings,
      changes: [],
      zone: null,
      provider: null,
      source: 'authoritative',
      nameservers: [],
    },
  }
}

test('a certificate that needs a fix is refused, one that is retried is delayed', () => {
  const next = '2026-11-14T13:00:00Z'
  const cases: [ReturnType<typeof domainWith>, string | null][] = [
    [domainWith('verified', {}), null],
    [domainWith('verified', { findings: [caa] }), 'refused'],
    [domainWith('verified', { error: { add, next } }), 'refused'],
    [domainWith('verified', { error: { add: null, next: null } }), 'refused'],
    [domainWith('verified', { error: { add: null, next } }), 'delayed'],
    [domainWith('failed', { error: { add: null, next: null } }), 'refused'],
    [domainWith('failed', { findings: [caa] }), null],
    [domainWith('pending', { findings: [caa] }), null],
    [domainWith('live', { error: { add, next }, findings: [caa] }), null],
    [domainWith('verified', { valid: true, findings: [caa] }), null],
  ]
  for (const [domain, trouble] of cases)
    assert.equal(certificateTroubleOf(domain), trouble, JSON.stringify(domain))
})

test('a finding that repeats the certificate’s error is left out', () => {
  const told = domainWith('verified', { error: { add, next: null }, findings: [caa, other] })
  assert.deepEqual(otherFindings(told), [other])
  assert.deepEqual(otherFindings(domainWith('verified', { findings: [caa, other] })), [caa, other])
})
