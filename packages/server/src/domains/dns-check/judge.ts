import type {
  DnsCheck,
  Finding,
  RecordChange,
  RequiredDnsRecord,
} from '@masthead/contract/schemas/domains/dns-check.ts'
import { type Cdns, noCdns } from '../../config/cdns.ts'
import { isoTime } from '../../kernel/clock.ts'
import { printableText } from '../../kernel/escape-text.ts'
import type { FoundProof, Wanted } from '../records.ts'
import { distinctRecords, foundProof, weigh } from './evidence.ts'
import { caaChanges, caaFindings } from './findings/caa-findings.ts'
import { cachedFindings } from './findings/cached-findings.ts'
import { withUnicodeName } from './findings/finding.ts'
import { ownershipFindings } from './findings/ownership-findings.ts'
import { proxyFindings } from './findings/proxy-findings.ts'
import { routingFindings } from './findings/routing-findings.ts'
import { wildcardFindings, zoneFindings } from './findings/zone-findings.ts'
import type { Observation } from './observation.ts'
import { lab, providersOf } from './providers.ts'
import { checkedRecords, diffRecords } from './record-diff.ts'

export interface Judgement {
  outcome: DnsCheck['outcome']
  findings: Finding[]
  records: RequiredDnsRecord[]
  changes: RecordChange[]
  proof: FoundProof | null
}

/** What an observation means for a domain. Findings are in the order in which to fix them. */
export function judge(observation: Observation, given: Wanted, cdns: Cdns = noCdns): Judgement {
  const wanted = asTopOfZone(given, observation)
  const evidence = weigh(observation, wanted)
  const findings = [
    ...zoneFindings(evidence),
    ...routingFindings(evidence),
    ...proxyFindings(evidence, cdns),
    ...ownershipFindings(evidence),
    ...wildcardFindings(evidence),
    ...cachedFindings(evidence),
    ...caaFindings(evidence),
  ]
  return {
    outcome: outcomeOf(findings, observation),
    findings: findings.map((finding) => withUnicodeName(finding, wanted)),
    records: checkedRecords(evidence),
    changes: [...diffRecords(evidence), ...caaChanges(evidence)],
    proof: foundProof(evidence),
  }
}

/**
 * A name with nameservers of its own, which allow no CNAME there, needs no more than addresses under the account's proof
 * of the domain. So it is set up like an apex. Some servers have a CNAME there nevertheless, which counts as ever.
 */
function asTopOfZone(wanted: Wanted, { zone, servers }: Observation): Wanted {
  const { hostname, kind, coverage, proxy } = wanted
  const isTop = kind === 'subdomain' && zone === hostname && coverage?.by === 'own' && proxy === null
  const hasCname = servers.some(({ records }) => records.some(({ type }) => type === 'CNAME'))
  const inLab = providersOf(servers.map(({ name }) => name)).includes(lab)
  return isTop && !hasCname && !inLab ? { ...wanted, kind: 'apex', registrable: hostname } : wanted
}

/**
 * Only an actual answer can be wrong; without answers the outcome is unclear. Answers with broken signatures could be
 * forged, and disagreeing resolvers have cached different versions, so neither proves anything.
 */
function outcomeOf(findings: readonly Finding[], { resolvers }: Observation): DnsCheck['outcome'] {
  const isDoubtful = resolvers.dnssecFailure || findings.some(({ code }) => code === 'resolvers_disagree')
  if (isDoubtful) return 'unclear'
  if (findings.some(({ effect }) => effect === 'stops')) return 'wrong'
  return findings.some(({ effect }) => effect === 'unclear') ? 'unclear' : 'right'
}

export function toDnsCheck(observation: Observation, judgement: Judgement): DnsCheck {
  const { at, zone, source, servers } = observation
  const { outcome, findings, changes } = judgement
  const providers = providersOf(servers.map(({ name }) => name)).map(({ name }) => name)
  return {
    at: isoTime(at),
    ok: outcome === 'right',
    outcome,
    findings,
    changes,
    zone,
    provider: providers.length === 0 ? null : providers.join(' and '),
    source,
    nameservers: servers.map(({ name, address, outcome: reached, records }) => ({
      name: printableText(name, 300),
      address,
      outcome: reached,
      answers: distinctRecords(records),
    })),
  }
}
