import { isWithin } from '../../dns/domain-name.ts'
import { formatList, formatRecords, withArticle } from '../../kernel/english.ts'
import { asAddressRecord, recordName, wantedTtl } from '../records.ts'
import type { Evidence } from './evidence.ts'
import type { SeenRecord } from './observation.ts'
import { cloudflare, lab, type Provider } from './providers.ts'

/** A record as it has to be set; a value of null is not known before the domain is added. */
export interface RecordToSet {
  type: string
  fqdn: string
  value: string | null
}

type Situation = Pick<Evidence, 'observation' | 'wanted' | 'providers' | 'zone'>

/** Where the zone is edited. Many look for it in the wrong place. */
export function whereToEdit({ observation, wanted, providers }: Situation): string {
  if (providers.includes(lab)) return 'In the lab'
  if (providers.length > 0) return `At ${formatList(providers.map(({ name }) => name))}`
  // Above the registrable domain there is only the registry, which nobody edits.
  const zone =
    observation.zone !== null && isWithin(observation.zone, wanted.registrable) ? observation.zone : null
  const run = `Where the DNS of ${zone ?? wanted.registrable} is run`
  const isNamed = zone !== null && observation.source === 'authoritative' && observation.servers.length > 0
  return isNamed ? `${run} (${formatList(observation.servers.map(({ name }) => name))})` : run
}

/** What to do to have the record there: a whole sentence. */
export function recordInstruction(situation: Situation, verb: 'add' | 'change', record: RecordToSet): string {
  const { wanted, providers, zone } = situation
  if (record.value === null) return 'The record to set is shown as soon as the domain is added.'
  if (providers.includes(lab)) return labInstruction(record)
  const name = recordName(record.fqdn, wanted, zone)
  const unproxied = providers.includes(cloudflare) && record.type !== 'TXT' ? ', proxy status "DNS only"' : ''
  const what = verb === 'add' ? `add ${withArticle(record.type)}` : `change the ${record.type} record`
  return `${whereToEdit(situation)}, ${what}: name ${name}, value ${record.value}, TTL ${wantedTtl}${unproxied}.`
}

/** Commands to run one after the other. The lab refuses what cannot stand beside what is there, as providers do. */
export function labInstruction(
  { fqdn, type, value }: RecordToSet,
  inTheWay: readonly SeenRecord[] = [],
): string {
  const removals = [...new Set(inTheWay.map((record) => `masthead lab remove ${fqdn} ${record.type}`))]
  return `In the lab, run: ${[...removals, `masthead lab set ${fqdn} ${type} ${value}`].join('; ')}`
}

/** The type that leads an apex to another name, as the provider calls it; null where it has none. */
export function apexType(providers: readonly Provider[]): string | null {
  const [provider] = providers
  if (provider === undefined || provider.apex === 'unknown') return 'ALIAS'
  return provider.apex === 'none' ? null : provider.apex
}

/** How an apex is led here, with the way around where there is no record for it. */
export function apexInstruction(situation: Situation): string {
  const { wanted, providers } = situation
  const { hostname, target, edgeAddresses } = wanted
  const addresses = formatRecords(edgeAddresses.map(asAddressRecord))
  const [provider] = providers
  const type = apexType(providers)
  if (type === null && target !== null) {
    const why = `${provider?.name} has no ALIAS that leads to another platform`
    return `${why}: set ${addresses} at @, TTL ${wantedTtl}, and no other address.`
  }
  const set = recordInstruction(situation, 'add', { type: type ?? 'ALIAS', fqdn: hostname, value: target })
  const isCertain = target === null || (provider !== undefined && provider.apex !== 'unknown')
  return isCertain
    ? set
    : `${set} It may be called ANAME there; where there is neither, set ${addresses} at @.`
}
