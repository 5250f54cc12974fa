import { shellName } from '@masthead/contract/domains/shell-name.ts'
import { isWithin } from '../../dns/domain-name.ts'
import { formatList, formatRecords, withArticle } from '../../kernel/english.ts'
import { asAddressRecord, recordName, wantedTtl } from '../records.ts'
import type { Evidence } from './evidence.ts'
import type { SeenRecord } from './observation.ts'
import { cloudflare, lab, type Provider } from './providers.ts'

/** A record to set. The value is null until the domain is added. */
export interface RecordToSet {
  type: string
  fqdn: string
  value: string | null
}

type Situation = Pick<Evidence, 'observation' | 'wanted' | 'providers' | 'zone'>

/** Where to edit the zone: people often look in the wrong place. */
export function whereToEdit({ observation, wanted, providers }: Situation): string {
  if (providers.includes(lab)) return 'In the lab'
  if (providers.length > 0) return `At ${formatList(providers.map(({ name }) => name))}`
  // Zones above the registrable domain belong to the registry.
  const zone =
    observation.zone !== null && isWithin(observation.zone, wanted.registrable) ? observation.zone : null
  const run = `At the DNS provider of ${zone ?? wanted.registrable}`
  const isNamed = zone !== null && observation.source === 'authoritative' && observation.servers.length > 0
  return isNamed ? `${run} (${formatList(observation.servers.map(({ name }) => name))})` : run
}

/** A whole sentence that says how to set the record. */
export function recordInstruction(situation: Situation, verb: 'add' | 'change', record: RecordToSet): string {
  const { wanted, providers, zone } = situation
  if (record.value === null) return 'Add the domain to see the record to set.'
  if (providers.includes(lab)) return labInstruction(record)
  const name = recordName(record.fqdn, wanted, zone)
  const status = wanted.proxy === null ? 'DNS only' : 'Proxied'
  const unproxied =
    providers.includes(cloudflare) && record.type !== 'TXT' ? `, proxy status "${status}"` : ''
  const what = verb === 'add' ? `add ${withArticle(record.type)}` : `change the ${record.type} record`
  return `${whereToEdit(situation)}, ${what}: name ${name}, value ${record.value}, TTL ${wantedTtl}${unproxied}.`
}

/** Commands to run in order. Like DNS providers, the lab rejects records that conflict with existing ones. */
export function labInstruction(
  { fqdn, type, value }: RecordToSet,
  inTheWay: readonly SeenRecord[] = [],
): string {
  const removals = [
    ...new Set(inTheWay.map((record) => `masthead lab remove ${shellName(fqdn)} ${record.type}`)),
  ]
  return `In the lab, run: ${[...removals, `masthead lab set ${shellName(fqdn)} ${type} ${value}`].join('; ')}`
}

/** What the provider calls the record that points an apex to another name; null if it has none. */
export function apexType(providers: readonly Provider[]): string | null {
  const [provider] = providers
  if (provider === undefined || provider.apex === 'unknown') return 'ALIAS'
  return provider.apex === 'none' ? null : provider.apex
}

/** How to point an apex here, with plain addresses where the provider has no record type for it. */
export function apexInstruction(situation: Situation): string {
  const { wanted, providers } = situation
  const { hostname, target, edgeAddresses } = wanted
  const addresses = formatRecords(edgeAddresses.map(asAddressRecord))
  const [provider] = providers
  const type = apexType(providers)
  if (type === null && target !== null) {
    const why = `${provider?.name} has no ALIAS record for this`
    return `${why}: set ${addresses} at @, TTL ${wantedTtl}, and no other address.`
  }
  const set = recordInstruction(situation, 'add', { type: type ?? 'ALIAS', fqdn: hostname, value: target })
  const isCertain = target === null || (provider !== undefined && provider.apex !== 'unknown')
  return isCertain ? set : `${set} Your provider may call it ANAME. If it has neither, set ${addresses} at @.`
}
