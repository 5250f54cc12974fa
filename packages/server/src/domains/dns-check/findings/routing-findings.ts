import { type ProxyProvider, proxyProviders } from '@masthead/contract/domains/proxy-providers.ts'
import { shellName } from '@masthead/contract/domains/shell-name.ts'
import type { Finding } from '@masthead/contract/schemas/domains/dns-check.ts'
import { isWithin, normalizeName } from '../../../dns/domain-name.ts'
import { formatList, formatRecords, withArticle } from '../../../kernel/english.ts'
import { printableText } from '../../../kernel/escape-text.ts'
import { recordName } from '../../records.ts'
import { type Evidence, isOurs, type RecordVerdict } from '../evidence.ts'
import { apexInstruction, labInstruction, recordInstruction, whereToEdit } from '../instructions.ts'
import type { SeenRecord } from '../observation.ts'
import { cdnOf, cdnOfTarget, lab } from '../providers.ts'
import { finding } from './finding.ts'

type Wrong = Exclude<RecordVerdict, 'right'>

/** What is wrong with the routing record. If some servers have it right, `servers_disagree` covers it instead. */
export function routingFindings(evidence: Evidence): Finding[] {
  const verdicts = new Set(evidence.answers.map(({ verdict }) => verdict))
  if (verdicts.has('right')) return []
  const wrong = [...verdicts].filter((verdict): verdict is Wrong => verdict !== 'right')
  const present = wrong.filter((verdict) => verdict !== 'missing')
  const findings = (present.length > 0 ? present : wrong).flatMap((verdict) =>
    findingsByVerdict[verdict](evidence),
  )
  if (hasCnameAtTop(evidence)) return [apexCname(evidence)]
  if (!evidence.isOwnZone) return findings
  const fix = undelegateFix(evidence)
  return findings.map((finding) => ({ ...finding, fix }))
}

/** Whatever the delegated zone contains, the CNAME can only exist in the zone above. A proof needs no CNAME. */
function undelegateFix({
  wanted: { hostname, registrable, target, coverage },
  ...evidence
}: Evidence): string {
  const why = `${hostname} is delegated to its own nameservers, and DNS does not allow a CNAME there.`
  const prove =
    coverage === null
      ? ` If other names of its zone are in use, keep the NS records and prove the zone instead: ` +
        `\`masthead domains prove ${hostname}\`. Then addresses are enough.`
      : ''
  if (target === null)
    return `${why} Its NS records will have to be replaced by the record we show once you add it.${prove}`
  const above = evidence.zone ?? registrable
  const name = recordName(hostname, { hostname, registrable }, evidence.zone)
  return (
    `${why} In the DNS of ${above}, remove the NS records for ${name}, and add the CNAME record instead: ` +
    `name ${name}, value ${target}.${prove}`
  )
}

const findingsByVerdict: Record<Wrong, (evidence: Evidence) => Finding[]> = {
  missing: (evidence) => {
    if (evidence.wanted.target === null) return []
    const missing = evidence.wanted.kind === 'apex' ? apexMissing(evidence) : cnameMissing(evidence)
    return [missing, ...nameNotFound(evidence)]
  },
  other_name: (evidence) => [
    evidence.wanted.kind === 'apex' ? apexElsewhere(evidence) : cnameOther(evidence),
  ],
  addresses: (evidence) => [
    evidence.wanted.kind === 'apex' ? apexElsewhere(evidence) : addressConflict(evidence),
  ],
  proxied: (evidence) => [proxyInFront(evidence)],
  behind: () => [],
}

function cnameMissing(evidence: Evidence): Finding {
  const { hostname, target } = evidence.wanted
  return finding('cname_missing', {
    message: `${hostname} has no CNAME record. It should have one that points to ${target}.`,
    fix: recordInstruction(evidence, 'add', { type: 'CNAME', fqdn: hostname, value: target }),
    records: [{ type: 'CNAME', fqdn: hostname, value: target ?? '' }],
  })
}

function cnameOther(evidence: Evidence): Finding {
  const { hostname, target } = evidence.wanted
  const names = evidence.seen.filter(({ type }) => type === 'CNAME')
  // Other names may rely on the wildcard, so it is not changed.
  const verb = evidence.observation.wildcard === null ? 'change' : 'add'
  const goal =
    target === null ? 'once you add the domain, it has to point here' : `it should point to ${target}`
  const { dname } = evidence.observation
  if (dname !== undefined) return belowDname(evidence, names, dname)
  const appended = appendedDomain(evidence, names)
  if (appended !== null) return withoutDot(evidence, names, appended)
  return finding('cname_other', {
    message: `The CNAME record of ${hostname} points to ${formatList(valuesOf(names))}; ${goal}.`,
    fix: recordInstruction(evidence, verb, { type: 'CNAME', fqdn: hostname, value: target }),
    records: names.map(({ type, value }) => ({ type, fqdn: hostname, value })),
  })
}

/** DNS servers make the CNAME from a DNAME above the name, which can have no record of its own (RFC 6672, section 2.4). */
function belowDname(
  evidence: Evidence,
  names: readonly SeenRecord[],
  { fqdn, value }: { fqdn: string; value: string },
): Finding {
  const { hostname } = evidence.wanted
  const [where, to] = [printableText(fqdn), printableText(value)]
  return finding('cname_other', {
    message:
      `${hostname} points to ${formatList(valuesOf(names))}, because the DNAME record of ${where} sends ` +
      `every name below it to ${to}.`,
    fix:
      `A name below a DNAME record cannot have a record of its own. ${whereToEdit(evidence)}, replace the DNAME ` +
      `record of ${where} by records for each name, or use a name that is not below it.`,
    records: [{ type: 'DNAME', fqdn: where, value: to }],
  })
}

/** The domain that a provider appended to the value, because it was entered without a dot at the end. */
function appendedDomain({ wanted }: Evidence, names: readonly SeenRecord[]): string | null {
  const [name] = names
  if (wanted.target === null || names.length !== 1 || name === undefined) return null
  const value = normalizeName(name.value)
  if (!value.startsWith(`${wanted.target}.`)) return null
  const appended = value.slice(wanted.target.length + 1)
  return isWithin(wanted.hostname, appended) ? appended : null
}

function withoutDot(evidence: Evidence, names: readonly SeenRecord[], appended: string): Finding {
  const { hostname, target } = evidence.wanted
  return finding('cname_other', {
    message: `The CNAME record of ${hostname} points to ${formatList(valuesOf(names))}: your provider appended ${appended}.`,
    fix: `${whereToEdit(evidence)}, enter the value with a dot at the end: ${target}.`,
    records: names.map(({ type, value }) => ({ type, fqdn: hostname, value })),
  })
}

function addressConflict(evidence: Evidence): Finding {
  const { hostname } = evidence.wanted
  const addresses = evidence.seen.filter(({ type }) => type !== 'CNAME')
  const types = [...new Set(addresses.map(({ type }) => type))]
  const are = types.length === 1 ? 'is' : 'are'
  return finding('address_conflict', {
    message:
      `${capitalised(types.map(withArticle).join(' and '))} ${are} in the way: ` +
      `${hostname} has ${formatRecords(addresses)}, but only a CNAME is allowed there.`,
    fix: conflictFix(evidence, addresses),
    records: addresses.map(({ type, value }) => ({ type, fqdn: hostname, value })),
  })
}

function conflictFix(evidence: Evidence, addresses: readonly SeenRecord[]): string {
  const { observation, wanted } = evidence
  if (wanted.target === null) return replaceLaterFix(addresses)
  const cname = { type: 'CNAME', fqdn: wanted.hostname, value: wanted.target }
  const inLab = evidence.providers.includes(lab)
  if (observation.wildcard !== null) {
    const add = recordInstruction(evidence, 'add', cname)
    return inLab ? add : `${add} It overrides the wildcard.`
  }
  const name = recordName(wanted.hostname, wanted, evidence.zone)
  const how = inLab ? labInstruction(cname, addresses) : recordInstruction(evidence, 'add', cname)
  return `Remove ${formatRecords(addresses)} for ${name}, then add the CNAME. ${how}`
}

/** Before the domain is added, the current site must stay up. */
function replaceLaterFix(records: readonly SeenRecord[]): string {
  return `Nothing to do yet: once you add the domain, replace ${formatRecords(records)} with the record we show.`
}

function apexMissing(evidence: Evidence): Finding {
  const { hostname, target, edgeAddresses } = evidence.wanted
  const cname = evidence.seen.find(({ type }) => type === 'CNAME')
  const seen =
    cname === undefined ? 'has no A or AAAA record' : `has a CNAME to ${cname.value}, but no addresses`
  return finding('apex_missing', {
    message: `${hostname} ${seen}. It should point to ${target} (${formatList(edgeAddresses)}).`,
    fix: apexInstruction(evidence),
    records: [{ type: 'ALIAS', fqdn: hostname, value: target ?? '' }],
  })
}

/**
 * Some providers allow it against RFC 1034. Resolvers then lose the SOA, NS and MX records of the domain, so where only
 * they answer, the zone seems to be the registry's.
 */
function hasCnameAtTop({ observation, seen, wanted: { hostname, kind } }: Evidence): boolean {
  const isTop = observation.zone === hostname || observation.source === 'resolvers'
  return kind === 'apex' && isTop && seen.some(({ type }) => type === 'CNAME')
}

function apexCname(evidence: Evidence): Finding {
  const { hostname, target } = evidence.wanted
  const names = evidence.seen.filter(({ type }) => type === 'CNAME')
  return finding('apex_cname', {
    message:
      `${hostname} has ${formatRecords(names)}. DNS does not allow a CNAME at the domain itself: it hides the ` +
      "domain's NS, SOA and MX records.",
    fix:
      target === null
        ? replaceLaterFix(names)
        : `Remove ${formatRecords(names)} at @. ${apexInstruction(evidence)}`,
    records: names.map(({ type, value }) => ({ type, fqdn: hostname, value })),
  })
}

function apexElsewhere(evidence: Evidence): Finding {
  const { hostname, target, edgeAddresses } = evidence.wanted
  const inLab = evidence.providers.includes(lab)
  const foreign = evidence.seen.filter(
    ({ type, value }) => type === 'CNAME' || !isOurs(value, evidence.wanted),
  )
  const isPartly = foreign.length < evidence.seen.length
  const remove = `Remove ${formatRecords(foreign)} for ${hostname}`
  const alias = { type: 'ALIAS', fqdn: hostname, value: target }
  const how = inLab ? labInstruction(alias, evidence.seen) : apexInstruction(evidence)
  const change = isPartly && !inLab ? `${remove}; the others can stay.` : `${remove}. ${how}`
  return finding('apex_elsewhere', {
    message:
      `${hostname} ${isPartly ? 'also points' : 'points'} to ${formatRecords(foreign)}; ` +
      `it should only point to ${formatList(edgeAddresses)}.`,
    fix: target === null ? replaceLaterFix(foreign) : change,
    records: foreign.map(({ type, value }) => ({ type, fqdn: hostname, value })),
  })
}

/** Says how to keep it, and how to go without it. */
function proxyInFront(evidence: Evidence): Finding {
  const { hostname, target } = evidence.wanted
  const [first] = evidence.seen
  const cdn =
    first === undefined ? null : first.type === 'CNAME' ? cdnOfTarget(first.value) : cdnOf(first.value)
  const isOwn = evidence.observation.wildcard === null
  if (cdn === 'cloudflare' && first?.type !== 'CNAME') return cloudflareProxy(evidence)
  const { title } = proxyProviders[cdn ?? 'other']
  return finding('proxy_detected', {
    message: `${hostname} points to ${title} (${formatList(valuesOf(evidence.seen))}), which hides where it leads.`,
    fix: `${markFix(evidence, cdn ?? 'other')} ${isOwn ? 'Or go without it.' : 'Or give it a record of its own.'} ${recordInstruction(
      evidence,
      isOwn && first?.type === 'CNAME' ? 'change' : 'add',
      { type: 'CNAME', fqdn: hostname, value: target },
    )}`,
    records: evidence.seen.map(({ type, value }) => ({ type, fqdn: hostname, value })),
    provider: cdn ?? 'other',
  })
}

function markFix({ wanted: { hostname, target } }: Evidence, provider: ProxyProvider): string {
  const title = proxyProviders[provider].title
  if (target === null) return `To keep ${title} in front, mark the domain as proxied once you have added it.`
  return `To keep ${title} in front, mark the domain as proxied: \`masthead domains proxied ${shellName(hostname)} --provider ${provider}\`.`
}

function cloudflareProxy(evidence: Evidence): Finding {
  const { hostname, target } = evidence.wanted
  const name = recordName(hostname, evidence.wanted, evidence.zone)
  const value = target === null ? '' : `, and set its value to ${target}`
  const isOwn = evidence.observation.wildcard === null
  return finding('cloudflare_proxy', {
    message:
      `${hostname} points to Cloudflare's proxy (${formatList(valuesOf(evidence.seen))}), ` +
      'which hides the actual record.',
    fix: isOwn
      ? `${markFix(evidence, 'cloudflare')} Or, in Cloudflare's DNS settings, switch the record ${name} from "Proxied" ` +
        `to "DNS only" (the grey cloud)${value}.`
      : recordInstruction(evidence, 'add', { type: 'CNAME', fqdn: hostname, value: target }),
    records: evidence.seen.map(({ type, value: address }) => ({ type, fqdn: hostname, value: address })),
    provider: 'cloudflare',
  })
}

/** The name has no records at all, which often has a cause of its own. */
function nameNotFound({ zone, wanted, answers, registered, providers }: Evidence): Finding[] {
  const isAbsent = answers.every(({ server }) => server.rcode === 'NXDOMAIN' && server.records.length === 0)
  if (!isAbsent || !registered) return []
  const servers = formatList(answers.map(({ server }) => server.name))
  const { hostname, registrable } = wanted
  const name = recordName(hostname, wanted, zone)
  const inZone =
    wanted.kind === 'apex'
      ? `Check that the zone ${registrable} exists at its nameservers.`
      : `If you already added it, check its name: it should be ${name}, since most providers append ${registrable} automatically.`
  return [
    finding('name_not_found', {
      message: `${hostname} does not exist in DNS (NXDOMAIN from ${servers}).`,
      fix: providers.includes(lab)
        ? `If you already added it, check its name: the lab needs the full name, ${hostname}. \`masthead lab\` lists all records.`
        : inZone,
    }),
  ]
}

function valuesOf(records: readonly SeenRecord[]): string[] {
  return records.map(({ value }) => value)
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
