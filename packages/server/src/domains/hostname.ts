import { domainToASCII, domainToUnicode } from 'node:url'
import type { DomainKind } from '@masthead/contract/domains/states.ts'
import { getDomain } from 'tldts'
import { isPublicAuthority } from '../certificates/authorities/authorities.ts'
import { isWildcard, isWithin, withoutWildcard } from '../dns/domain-name.ts'
import { printableText } from '../kernel/escape-text.ts'
import { isIP } from '../kernel/ip-address.ts'
import { Problem } from '../kernel/problem.ts'
import type { Naming } from './context.ts'

/** Why a name cannot be added, as the end of a sentence that starts with the name. `part` is the part concerned. */
export const hostnameRefusals = {
  empty: () => 'has no domain in it',
  mail_address: (part) => `is an email address; did you mean ${part}?`,
  wildcard: () => 'has a * that is not its whole first label; a wildcard looks like *.acme.com',
  wildcard_suffix: () =>
    'would be for names that others register; a wildcard needs a domain of yours, such as *.acme.com',
  wildcard_proof: (part) => `is a wildcard; prove ${part} instead, which includes it`,
  address: () => 'is an IP address, not a domain',
  underscore: () => 'has an underscore, which website domains cannot have',
  characters: (part) => `has the character "${part}", which domains cannot have`,
  unicode: () => 'has characters that are not allowed there in an international domain name',
  punycode: (part) => `has the label ${part}, which is not valid Punycode`,
  label_empty: () => 'has a dot at the start, or two dots in a row',
  label_too_long: (part) => `has the label ${part}, which is longer than the 63 characters DNS allows`,
  name_too_long: () => 'is longer than the 253 characters DNS allows',
  hyphens: (part) =>
    `has the label ${part}, with a hyphen at the start, at the end, or as third and fourth character`,
  platform: (part) => `belongs to this platform, like everything under ${part}`,
  dashboard: () => "is the address of this platform's dashboard",
  special_use: (part) => `ends in .${part}, which is not part of the public DNS`,
  no_public_certificate: (part) =>
    `ends in .${part}, which is not part of the public DNS, so no public certificate authority can sign it; ` +
    'only a server with its own or a private authority can serve it',
  single_label: () => 'is a single label; a domain has at least two, such as acme.com',
  public_suffix: (part) =>
    `is a public suffix, under which others register; enter your own domain, such as acme.${part}`,
} as const satisfies Record<string, (part: string) => string>

export type HostnameRefusal = keyof typeof hostnameRefusals

function hostnameProblem(typed: string, reason: HostnameRefusal, part = ''): Problem {
  const sentence: (part: string) => string = hostnameRefusals[reason]
  const message = `"${printableText(typed.trim())}" ${sentence(printableText(part, 80))}`
  const detail = message.endsWith('?') ? message : `${message}.`
  return new Problem('hostname_invalid', detail, {
    extra: { reason, errors: [{ path: 'hostname', message: detail }] },
  })
}

export interface Hostname {
  /** As DNS has it: ASCII, lower-case, without the final dot. */
  hostname: string
  /** In Unicode, for display. */
  unicode: string
  kind: DomainKind
  /** What was registered: the public suffix and one label. */
  registrable: string
}

/** Names that can never be registered: RFC 6761, 6762 and 7686. Those for laptops and tests are allowed. */
const specialUse = ['local', 'onion', 'invalid', 'in-addr.arpa', 'ip6.arpa']

/** Not part of the public DNS, but used in private networks: RFC 2606, 6761, 8375, 9476, and ICANN for .internal. */
const withoutPublicCertificate = ['example', 'internal', 'alt', 'home.arpa', 'test', 'localhost']

/** Parses a name as people type or paste it. Throws a Problem that says why it cannot be added. */
export function readHostname(
  typed: string,
  naming: Pick<Naming, 'platformDomain' | 'dashboardHost'> & Partial<Pick<Naming, 'authorities'>>,
): Hostname {
  const name = extractName(typed)
  const base = wildcardBase(typed, name)
  const hostname = toAscii(typed, base ?? name)
  refuseBadLabels(typed, hostname)
  if (isWithin(hostname, naming.platformDomain))
    throw hostnameProblem(typed, 'platform', naming.platformDomain)
  if (hostname === naming.dashboardHost) throw hostnameProblem(typed, 'dashboard')
  if (!hostname.includes('.')) {
    throw hostnameProblem(typed, base === null ? 'single_label' : 'wildcard_suffix')
  }
  const special = specialUse.find((suffix) => isWithin(hostname, suffix))
  if (special !== undefined) throw hostnameProblem(typed, 'special_use', special)
  const unsigned = withoutPublicCertificate.find((suffix) => isWithin(hostname, suffix))
  const { authorities = [] } = naming
  if (
    unsigned !== undefined &&
    authorities.length > 0 &&
    authorities.every(({ id }) => isPublicAuthority(id))
  ) {
    throw hostnameProblem(typed, 'no_public_certificate', unsigned)
  }
  if (registrableDomain(hostname) === null) {
    throw hostnameProblem(typed, base === null ? 'public_suffix' : 'wildcard_suffix', hostname)
  }
  if (base === null) return describeHostname(hostname)
  const wildcard = `*.${hostname}`
  if (wildcard.length > longestName) throw hostnameProblem(typed, 'name_too_long')
  return describeHostname(wildcard)
}

/** Describes a hostname that `readHostname` has accepted before. */
export function describeHostname(hostname: string): Hostname {
  const base = withoutWildcard(hostname)
  const registrable = registrableDomain(base) ?? base
  const kind = hostname !== base ? 'wildcard' : hostname === registrable ? 'apex' : 'subdomain'
  const unicode = domainToUnicode(base)
  return { hostname, unicode: kind === 'wildcard' ? `*.${unicode}` : unicode, kind, registrable }
}

/** A domain that can be proved. The proof of `acme.com` includes its wildcard. */
export function readProvable(typed: string, naming: Parameters<typeof readHostname>[1]): string {
  const { hostname } = readHostname(typed, naming)
  if (isWildcard(hostname)) throw hostnameProblem(typed, 'wildcard_proof', withoutWildcard(hostname))
  return hostname
}

/** Suffixes of the private section (github.io) count. So does an unlisted top-level domain. */
function registrableDomain(hostname: string): string | null {
  return getDomain(hostname, { allowPrivateDomains: true })
}

/** The `WWW.Acme.com` in `https://user@WWW.Acme.com.:8080/path?query`. */
function extractName(typed: string): string {
  // Where a shell does not remove quotes, they arrive here: '*.acme.com' in cmd.exe.
  const text = typed.trim().replace(/^(['"])(.*)\1$/su, '$2')
  const mail = /^(?:mailto:)?[^\s/:@]+@([^\s/:@]+)$/i.exec(text)
  if (mail !== null) throw hostnameProblem(typed, 'mail_address', mail[1])
  const [authority = ''] = text
    .replace(/^(?:https?:\/*|(?:[a-z][a-z0-9+.-]*:)?\/\/)/i, '')
    .split(/[/\\?#]/, 1)
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  const [, bracketed = host] = /^\[(.*)\](?::\d*)?$/.exec(host) ?? []
  if (isIP(bracketed) !== 0) throw hostnameProblem(typed, 'address')
  const name = host.replace(/:\d*$/, '').replace(/[.。．｡]$/, '')
  if (name === '') throw hostnameProblem(typed, 'empty')
  return name
}

/** What a wildcard is below; null for any other name. Only the whole first label can be a star (RFC 4592). */
function wildcardBase(typed: string, name: string): string | null {
  if (!star.test(name)) return null
  const [, base = ''] = /^[*＊﹡][.。．｡](.*)$/su.exec(name) ?? []
  if (base === '' || star.test(base)) throw hostnameProblem(typed, 'wildcard')
  return base
}

/** Also as East Asian keyboards write it, which IDNA maps to the same. */
const star = /[*＊﹡]/u

function toAscii(typed: string, name: string): string {
  if (name.includes('_')) throw hostnameProblem(typed, 'underscore')
  const odd = /[^a-z0-9.\-\u{80}-\u{10ffff}]/iu.exec(name)
  if (odd !== null) throw hostnameProblem(typed, 'characters', odd[0])
  const ascii = domainToASCII(name)
  // A name that ends in a number is meant as an IP address: 127.1, 0x7f.1, 1.2.3.4.5 (WHATWG URL, 3.5).
  const endsInNumber = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/i.test(name.normalize('NFKC'))
  if (endsInNumber || isIP(ascii) !== 0) throw hostnameProblem(typed, 'address')
  if (ascii === '') throw hostnameProblem(typed, 'unicode')
  return ascii
}

const longestName = 253

function refuseBadLabels(typed: string, hostname: string): void {
  for (const label of hostname.split('.')) {
    if (label === '') throw hostnameProblem(typed, 'label_empty')
    const odd = /[^a-z0-9-]/.exec(label)
    if (odd !== null) throw hostnameProblem(typed, 'characters', odd[0])
    if (label.length > 63) throw hostnameProblem(typed, 'label_too_long', label)
    if (label.startsWith('xn--') && !decodes(label)) throw hostnameProblem(typed, 'punycode', label)
    if (/^-|-$|^..--/u.test(domainToUnicode(label))) throw hostnameProblem(typed, 'hyphens', label)
  }
  if (hostname.length > longestName) throw hostnameProblem(typed, 'name_too_long')
  if (domainToASCII(domainToUnicode(hostname)) !== hostname) throw hostnameProblem(typed, 'unicode')
}

/** Node leaves a label that does not decode unchanged, and encodes a non-canonical one differently. */
function decodes(label: string): boolean {
  const unicode = domainToUnicode(label)
  return unicode !== label && domainToASCII(unicode) === label
}

/** For lookups any name is allowed, even the platform's own and names that can no longer be added. */
const nothingReserved = { platformDomain: 'masthead.invalid', dashboardHost: '' }

/** The normal form of a name as typed, for lookups; null if nothing here can have it. */
export function normalizeHostname(typed: string): string | null {
  try {
    return readHostname(typed, nothingReserved).hostname
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return /^(?:\*\.)?[a-z0-9.-]{1,253}$/i.test(typed) ? typed.toLowerCase() : null
  }
}
