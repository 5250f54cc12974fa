import type { ApexProof } from '@masthead/contract/domains/proofs.ts'
import { type ProxyProvider, proxyProviders } from '@masthead/contract/domains/proxy-providers.ts'
import type { DomainKind } from '@masthead/contract/domains/states.ts'
import type { RequiredDnsRecord } from '@masthead/contract/schemas/domains/dns-check.ts'
import { challengeTarget } from '../certificates/challenge-dns/challenge-zone.ts'
import { isWithin, parentName, withoutWildcard } from '../dns/domain-name.ts'
import { isIPv6 } from '../kernel/ip-address.ts'
import type { Naming } from './context.ts'
import { describeHostname } from './hostname.ts'

/** What DNS should contain. */
export interface Wanted {
  hostname: string
  kind: DomainKind
  registrable: string
  /** The CNAME target; null before the domain is added, when nothing can be missing yet. */
  target: string | null
  /** How ownership is proved; null for a subdomain, whose CNAME proves it unless a proxy hides it. */
  proof: ProofRequirement | null
  edgeAddresses: readonly string[]
  /** The domain of all CNAME targets. */
  targetDomain: string
  /** Null if no account has proved the domain. */
  coverage: Coverage | null
  /** Null if the domain is not marked as behind a proxy. */
  proxy: ProxyRequirement | null
}

export interface ProxyRequirement {
  provider: ProxyProvider
  /** Whether we redirect plain HTTP at this name to HTTPS now. */
  redirects: boolean
}

/**
 * An account has proved the domain of the name. If it is this account, any record that points here is enough, but not
 * the target of another account that still serves the name. If it is another account, the name can only be kept.
 */
export type Coverage =
  | { by: 'own'; domain: string; rivalTarget: string | null }
  | { by: 'other'; domain: string; holds: boolean }

/** `required`: not served without a proof. `asked`: served since before proofs were required. `given`: proved. */
export type ProofNeed = 'required' | 'asked' | 'given'

export interface ProofRequirement {
  need: ProofNeed
  /** The TXT value that proves the claim; null before the domain is added, and while another account has proved it. */
  challenge: string | null
  /** The TXT value of the account's own proof of the domain, which may be beside it. */
  accountChallenge?: string | undefined
  /** The name below which that record is: of a wildcard, the domain to prove. Omitted: the name itself. */
  at?: string
  /** Other names of the account in the same domain, whose CNAME would also prove it. */
  siblings: readonly Sibling[]
  /** How it was proved. */
  by: ApexProof | null
  /** Deadline for the proof, if one was asked for. */
  dueAt: number | null
}

export interface FoundProof {
  by: ApexProof
  /** The token or name that proved it. It may no longer belong to the account when the check is applied. */
  what: string
}

export interface Sibling {
  hostname: string
  /** What its CNAME must point to. */
  target: string
}

export const wantedTtl = 3_600

/** The kind is fixed when the name is added, because the public suffix list changes what counts as an apex. */
export function wantedFor(
  domain: {
    hostname: string
    kind: Wanted['kind']
    /** Its own label under the platform domain. */
    target: string | null
    proof: ProofRequirement | null
    coverage?: Coverage | null
    proxy?: ProxyRequirement | null
  },
  naming: Pick<Naming, 'platformDomain' | 'edgeAddresses'>,
): Wanted {
  const { hostname, kind, proof, coverage = null, proxy = null } = domain
  const target = domain.target === null ? null : targetName(domain.target, naming)
  const registrable = registrableOf(hostname, kind)
  return {
    hostname,
    kind,
    registrable,
    target,
    proof,
    edgeAddresses: naming.edgeAddresses,
    targetDomain: targetDomain(naming),
    coverage:
      coverage?.by === 'own' && coverage.rivalTarget !== null
        ? { ...coverage, rivalTarget: targetName(coverage.rivalTarget, naming) }
        : coverage,
    proxy,
  }
}

export function targetName(label: string, { platformDomain }: Pick<Naming, 'platformDomain'>): string {
  return `${label}.${targetDomain({ platformDomain })}`
}

function targetDomain({ platformDomain }: Pick<Naming, 'platformDomain'>): string {
  return `cname.${platformDomain}`
}

function registrableOf(hostname: string, kind: Wanted['kind']): string {
  if (kind === 'apex') return hostname
  const { registrable } = describeHostname(hostname)
  return registrable === hostname ? (parentName(hostname) ?? hostname) : registrable
}

/** Lets us answer the challenges of certificate authorities for the name and its wildcard, wherever they point. */
export function delegationRecord(
  { hostname, target }: { hostname: string; target: string },
  { platformDomain }: Pick<Naming, 'platformDomain'>,
): { type: 'CNAME'; fqdn: string; value: string } {
  const fqdn = `_acme-challenge.${withoutWildcard(hostname)}`
  return { type: 'CNAME', fqdn, value: challengeTarget(target, platformDomain) }
}

/**
 * The same as a required record, for a wildcard: certificate authorities check wildcards only by DNS. `label` is the one
 * that the nameservers have, which may be that of the apex.
 */
export function certificateRecord(
  { hostname, target }: { hostname: string; target: string },
  naming: Pick<Naming, 'platformDomain'>,
  { zone = null, label, status = 'unchecked', observed = [] }: Partial<SeenDelegation> = {},
): RequiredDnsRecord {
  const record = delegationRecord({ hostname, target: label ?? target }, naming)
  const name = recordName(record.fqdn, describeHostname(hostname), zone)
  return { ...record, purpose: 'certificate', name, ttl: wantedTtl, status, observed, alternatives: [] }
}

export interface SeenDelegation extends Pick<RequiredDnsRecord, 'status' | 'observed'> {
  zone: string | null
  label: string | null
}

export function challengeName(hostname: string): string {
  return `_masthead-challenge.${hostname}`
}

/**
 * A name as DNS providers expect it: relative to the zone, `@` for the zone itself. A delegated subdomain cannot have a
 * CNAME in its own zone, so it is relative to the zone above.
 */
export function recordName(
  fqdn: string,
  { hostname, registrable }: Pick<Wanted, 'hostname' | 'registrable'>,
  zone: string | null = null,
): string {
  const isBetween =
    zone !== null &&
    zone !== fqdn &&
    isWithin(zone, registrable) &&
    isWithin(hostname, zone) &&
    isWithin(fqdn, zone)
  const origin = isBetween ? zone : registrable
  return fqdn === origin ? '@' : fqdn.slice(0, -origin.length - 1)
}

/** The records to set, before any check. */
export function uncheckedRecords(wanted: Wanted, zone: string | null = null): RequiredDnsRecord[] {
  const { hostname, kind, target, edgeAddresses, proxy } = wanted
  const challenge = challengeToShow(wanted.proof)
  const unchecked = (
    record: Pick<RequiredDnsRecord, 'purpose' | 'type' | 'fqdn' | 'value' | 'alternatives'>,
  ): RequiredDnsRecord => ({
    ...record,
    name: recordName(record.fqdn, wanted, zone),
    ttl: wantedTtl,
    status: 'unchecked',
    observed: [],
  })
  const records: RequiredDnsRecord[] = []
  // Where the provider has a record of its own, ours is the origin that it fetches from.
  if (target !== null && (proxy === null || proxyProviders[proxy.provider].hidesRecord)) {
    const type = kind === 'apex' ? 'ALIAS' : 'CNAME'
    const alternatives = kind === 'apex' ? edgeAddresses.map(asAddressRecord) : []
    records.push(unchecked({ purpose: 'routing', type, fqdn: hostname, value: target, alternatives }))
  }
  if (challenge !== null) {
    const fqdn = challengeName(wanted.proof?.at ?? hostname)
    records.push(unchecked({ purpose: 'ownership', type: 'TXT', fqdn, value: challenge, alternatives: [] }))
  }
  return records
}

/** The TXT record is shown if no other name can prove the apex, or if it was the proof. */
function challengeToShow(proof: ProofRequirement | null): string | null {
  if (proof === null) return null
  const isShown = proof.need === 'given' ? proof.by === 'challenge' : proof.siblings.length === 0
  return isShown ? proof.challenge : null
}

export function asAddressRecord(address: string): { type: 'A' | 'AAAA'; value: string } {
  return { type: isIPv6(address) ? 'AAAA' : 'A', value: address }
}
