import { isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { getDomain } from 'tldts'
import { isPublicAuthority } from '../certificates/authorities.ts'
import { isWithin } from '../dns/domain-name.ts'
import type { Naming } from './context.ts'
import { refuseHostname } from './hostname-refusals.ts'

export interface Hostname {
  /** As DNS has it: ASCII, lower-case, without the final dot. */
  hostname: string
  /** As people read it. */
  unicode: string
  kind: 'subdomain' | 'apex'
  /** What was registered: the public suffix and one label. */
  registrable: string
}

/** Names that can never be had: RFC 6761, 6762 and 7686. Those of laptops and tests (.localhost, .test) can. */
const specialUse = ['local', 'onion', 'invalid', 'in-addr.arpa', 'ip6.arpa']

/** No part of the public DNS either, but used within networks: RFC 2606, 6761, 8375, 9476, and ICANN for .internal. */
const withoutPublicCertificate = ['example', 'internal', 'alt', 'home.arpa', 'test', 'localhost']

/** Understands a name as people type and paste it, or throws the Problem that says why it cannot be added. */
export function readHostname(
  typed: string,
  naming: Pick<Naming, 'platformDomain' | 'dashboardHost' | 'caDirectory'>,
): Hostname {
  const name = nameWithin(typed)
  const hostname = toAscii(typed, name)
  refuseBadLabels(typed, hostname)
  if (isWithin(hostname, naming.platformDomain))
    throw refuseHostname(typed, 'platform', naming.platformDomain)
  if (hostname === naming.dashboardHost) throw refuseHostname(typed, 'dashboard')
  if (!hostname.includes('.')) throw refuseHostname(typed, 'single_label')
  const special = specialUse.find((suffix) => isWithin(hostname, suffix))
  if (special !== undefined) throw refuseHostname(typed, 'special_use', special)
  const unsigned = withoutPublicCertificate.find((suffix) => isWithin(hostname, suffix))
  if (unsigned !== undefined && isPublicAuthority(naming.caDirectory)) {
    throw refuseHostname(typed, 'no_public_certificate', unsigned)
  }
  if (registrableDomain(hostname) === null) throw refuseHostname(typed, 'public_suffix', hostname)
  return describeHostname(hostname)
}

/** What is to be known about a name that `readHostname` took in before. */
export function describeHostname(hostname: string): Hostname {
  const registrable = registrableDomain(hostname) ?? hostname
  const kind = hostname === registrable ? 'apex' : 'subdomain'
  return { hostname, unicode: domainToUnicode(hostname), kind, registrable }
}

/** Suffixes of the private section (github.io) count; an unlisted top-level domain counts as a suffix too. */
function registrableDomain(hostname: string): string | null {
  return getDomain(hostname, { allowPrivateDomains: true })
}

/** The name in `https://user@WWW.Acme.com.:8080/path?query`, still in the letters it was typed in. */
function nameWithin(typed: string): string {
  const text = typed.trim()
  const mail = /^(?:mailto:)?[^\s/:@]+@([^\s/:@]+)$/i.exec(text)
  if (mail !== null) throw refuseHostname(typed, 'mail_address', mail[1])
  const [authority = ''] = text
    .replace(/^(?:https?:\/*|(?:[a-z][a-z0-9+.-]*:)?\/\/)/i, '')
    .split(/[/\\?#]/, 1)
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  const [, bracketed = host] = /^\[(.*)\](?::\d*)?$/.exec(host) ?? []
  if (isIP(bracketed) !== 0) throw refuseHostname(typed, 'address')
  const name = host.replace(/:\d*$/, '').replace(/[.。．｡]$/, '')
  if (name === '') throw refuseHostname(typed, 'empty')
  return name
}

function toAscii(typed: string, name: string): string {
  if (name.includes('*')) throw refuseHostname(typed, 'wildcard')
  if (name.includes('_')) throw refuseHostname(typed, 'underscore')
  const odd = /[^a-z0-9.\-\u{80}-\u{10ffff}]/iu.exec(name)
  if (odd !== null) throw refuseHostname(typed, 'characters', odd[0])
  const ascii = domainToASCII(name)
  // Every name that ends in a number is an address or meant to be one: 127.1, 0x7f.1, 1.2.3.4.5 (WHATWG URL, 3.5).
  const endsInNumber = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/i.test(name.normalize('NFKC'))
  if (endsInNumber || isIP(ascii) !== 0) throw refuseHostname(typed, 'address')
  if (ascii === '') throw refuseHostname(typed, 'unicode')
  return ascii
}

function refuseBadLabels(typed: string, hostname: string): void {
  for (const label of hostname.split('.')) {
    if (label === '') throw refuseHostname(typed, 'label_empty')
    const odd = /[^a-z0-9-]/.exec(label)
    if (odd !== null) throw refuseHostname(typed, 'characters', odd[0])
    if (label.length > 63) throw refuseHostname(typed, 'label_too_long', label)
    if (label.startsWith('xn--') && !decodes(label)) throw refuseHostname(typed, 'punycode', label)
    if (/^-|-$|^..--/u.test(domainToUnicode(label))) throw refuseHostname(typed, 'hyphens', label)
  }
  if (hostname.length > 253) throw refuseHostname(typed, 'name_too_long')
  if (domainToASCII(domainToUnicode(hostname)) !== hostname) throw refuseHostname(typed, 'unicode')
}

/** Node leaves a label as it is that does not decode, and gives another one for what has a better spelling. */
function decodes(label: string): boolean {
  const unicode = domainToUnicode(label)
  return unicode !== label && domainToASCII(unicode) === label
}
