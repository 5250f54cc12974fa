import type { DnsCheck, Finding, RequiredDnsRecord } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'

export const target = 'k3v9x2m1qp.cname.pages.example'
export const noon = '2026-11-15T12:00:00.000Z'
export const later = '2026-11-15T12:00:08.000Z'
export const inTwoDays = '2026-11-17T12:00:00.000Z'

export const cname: RequiredDnsRecord = {
  purpose: 'routing',
  type: 'CNAME',
  name: 'help',
  fqdn: 'help.acme.com',
  value: target,
  ttl: 3600,
  status: 'missing',
  observed: [],
  alternatives: [],
}

export function checkWith(more: Partial<DnsCheck> = {}): DnsCheck {
  return {
    at: noon,
    ok: false,
    outcome: 'wrong',
    findings: [],
    changes: [],
    zone: 'acme.com',
    provider: null,
    source: 'authoritative',
    nameservers: [nameserver('ns1.acme.com'), nameserver('ns2.acme.com')],
    ...more,
  }
}

export function nameserver(name: string): DnsCheck['nameservers'][number] {
  return { name, address: '192.0.2.1', outcome: 'answered', answers: [] }
}

export function findingOf(code: Finding['code'], effect: Finding['effect']): Finding {
  return { code, effect, message: `${code}.`, fix: '' }
}

export const rightCheck = checkWith({ ok: true, outcome: 'right' })

export function domainWith(more: Partial<Domain> = {}): Domain {
  return {
    hostname: 'help.acme.com',
    unicode: 'help.acme.com',
    kind: 'subdomain',
    state: 'pending',
    branch: null,
    proxied: null,
    url: 'https://help.acme.com',
    records: [cname],
    lastCheck: null,
    certificate: certificateWith(),
    advice: null,
    createdAt: noon,
    verifiedAt: null,
    liveAt: null,
    nextCheckAt: null,
    checkedUntil: null,
    preparation: null,
    proof: null,
    ...more,
  }
}

export function certificateWith(more: Partial<Domain['certificate']> = {}): Domain['certificate'] {
  return {
    status: 'none',
    issuer: null,
    serial: null,
    notAfter: null,
    attempts: 0,
    lastError: null,
    nextAttemptAt: null,
    passedOver: [],
    own: null,
    ...more,
  }
}

export const heldCertificate = certificateWith({
  status: 'valid',
  issuer: "Let's Encrypt",
  serial: '04d8',
  notAfter: inTwoDays,
})

type CertificateError = NonNullable<Domain['certificate']['lastError']>

export function failedCertificate(
  error: Partial<CertificateError> = {},
  nextAttemptAt: string | null = later,
): Domain['certificate'] {
  const lastError: CertificateError = {
    kind: 'connection',
    at: noon,
    authority: "Let's Encrypt",
    message: "Let's Encrypt could not connect.",
    hint: 'Check the firewall.',
    said: null,
    problem: null,
    add: null,
    ...error,
  }
  return certificateWith({ status: 'pending', attempts: 2, lastError, nextAttemptAt })
}
