import { isIPv6 } from 'node:net'
import type { ApexProof } from '@masthead/contract/domains/states.ts'
import type { RequiredDnsRecord } from '@masthead/contract/schemas/domain.ts'
import { isWithin, parentName } from '../dns/domain-name.ts'
import type { Naming } from './context.ts'
import { describeHostname } from './hostname.ts'

/** What should stand in DNS. */
export interface Wanted {
  hostname: string
  kind: 'subdomain' | 'apex'
  registrable: string
  /** Where the name should lead; null before the domain is added, when nothing can be missing yet. */
  target: string | null
  /** How the name is proved; null for a subdomain, whose CNAME does. */
  proof: ProofRequirement | null
  edgeAddresses: readonly string[]
}

/** `required`: not served without one. `asked`: served before proofs were needed. `given`: proved, and served since. */
export type ProofNeed = 'required' | 'asked' | 'given'

export interface ProofRequirement {
  need: ProofNeed
  /** The TXT value that proves the claim; null before the domain is added. */
  challenge: string | null
  /** Names of the account in the same domain, whose own record would prove it too. */
  siblings: readonly Sibling[]
  /** How it was proved. */
  by: ApexProof | null
  /** When the account has to have proved it, where it is asked to. */
  dueAt: number | null
}

export interface FoundProof {
  by: ApexProof
  /** The value or the name that proved it: by the time it is applied, it may no longer be the account's. */
  what: string
}

export interface Sibling {
  hostname: string
  /** Where its CNAME has to lead. */
  target: string
}

export const wantedTtl = 3_600

/** The kind is what it was when the name was added: what counts as an apex changes with the list of public suffixes. */
export function wantedFor(
  domain: {
    hostname: string
    kind: Wanted['kind']
    /** The label of its own under the platform's domain. */
    target: string | null
    proof: ProofRequirement | null
  },
  naming: Pick<Naming, 'platformDomain' | 'edgeAddresses'>,
): Wanted {
  const { hostname, kind, proof } = domain
  const target = domain.target === null ? null : targetName(domain.target, naming)
  const registrable = registrableOf(hostname, kind)
  return { hostname, kind, registrable, target, proof, edgeAddresses: naming.edgeAddresses }
}

export function targetName(label: string, { platformDomain }: Pick<Naming, 'platformDomain'>): string {
  return `${label}.cname.${platformDomain}`
}

function registrableOf(hostname: string, kind: Wanted['kind']): string {
  if (kind === 'apex') return hostname
  const { registrable } = describeHostname(hostname)
  return registrable === hostname ? (parentName(hostname) ?? hostname) : registrable
}

export function challengeName(hostname: string): string {
  return `_masthead-challenge.${hostname}`
}

/**
 * A name as providers ask for it: relative to the zone, `@` for the zone itself. A subdomain that is delegated has
 * no place for a CNAME in its own zone, so it is named as in the zone above.
 */
export function recordName(
  fqdn: string,
  { hostname, registrable }: Pick<Wanted, 'hostname' | 'registrable'>,
  zone: string | null = null,
): string {
  const isBetween =
    zone !== null && zone !== hostname && isWithin(zone, registrable) && isWithin(hostname, zone)
  const origin = isBetween ? zone : registrable
  return fqdn === origin ? '@' : fqdn.slice(0, -origin.length - 1)
}

/** The records to set, before anybody has looked whether they are there. */
export function uncheckedRecords(wanted: Wanted, zone: string | null = null): RequiredDnsRecord[] {
  const { hostname, kind, target, edgeAddresses } = wanted
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
  if (target !== null) {
    const type = kind === 'apex' ? 'ALIAS' : 'CNAME'
    const alternatives = kind === 'apex' ? edgeAddresses.map(asAddressRecord) : []
    records.push(unchecked({ purpose: 'routing', type, fqdn: hostname, value: target, alternatives }))
  }
  if (challenge !== null) {
    const fqdn = challengeName(hostname)
    records.push(unchecked({ purpose: 'ownership', type: 'TXT', fqdn, value: challenge, alternatives: [] }))
  }
  return records
}

/** The TXT record is asked for where no other name is about to prove the apex, and stays where it did. */
function challengeToShow(proof: ProofRequirement | null): string | null {
  if (proof === null) return null
  const isShown = proof.need === 'given' ? proof.by === 'challenge' : proof.siblings.length === 0
  return isShown ? proof.challenge : null
}

export function asAddressRecord(address: string): { type: 'A' | 'AAAA'; value: string } {
  return { type: isIPv6(address) ? 'AAAA' : 'A', value: address }
}
