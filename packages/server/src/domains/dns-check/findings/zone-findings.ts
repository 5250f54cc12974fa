import type { Finding } from '@masthead/contract/schemas/domains/dns-check.ts'
import { isWithin } from '../../../dns/domain-name.ts'
import type { ViewOutcome } from '../../../dns/server-view.ts'
import { formatList, formatRecords } from '../../../kernel/english.ts'
import { recordName } from '../../records.ts'
import { type Evidence, isRight, type JudgedAnswer } from '../evidence.ts'
import { whereToEdit } from '../instructions.ts'
import type { ServerObservation } from '../observation.ts'
import { isParking } from '../providers.ts'
import { finding } from './finding.ts'

/** The state of the zone and its nameservers, independent of the record. */
export function zoneFindings(evidence: Evidence): Finding[] {
  return [
    ...parked(evidence),
    ...registration(evidence),
    ...dnssec(evidence),
    ...noAnswers(evidence),
    ...disagreement(evidence),
    ...weakServers(evidence),
  ]
}

function registration({ wanted, registered }: Evidence): Finding[] {
  if (registered) return []
  return [
    finding('domain_not_registered', {
      message: `${wanted.registrable} has no nameservers: it is not registered, has expired, or is very new.`,
      fix: `Register ${wanted.registrable}, or set its nameservers at your registrar. Then add the records.`,
    }),
  ]
}

/** Parking services answer for every name, but nobody can add a record there. */
function parked({ observation, wanted, allRight }: Evidence): Finding[] {
  const names = [...new Set(observation.servers.map(({ name }) => name))].filter(isParking)
  if (names.length === 0 || allRight) return []
  const { registrable } = wanted
  return [
    finding('nameservers_parked', {
      message: `${registrable} uses nameservers of a parking service (${formatList(names)}), where no records can be added.`,
      fix: `At your registrar, change the nameservers of ${registrable} to its own or to those of a DNS provider. Then add the record there.`,
    }),
  ]
}

function dnssec({ observation, wanted }: Evidence): Finding[] {
  if (!observation.resolvers.dnssecFailure) return []
  const zone = observation.zone ?? wanted.registrable
  return [
    finding('dnssec_failure', {
      message:
        `Resolvers reject the answers of ${zone} when they validate them: its DNSSEC signatures probably do not ` +
        'match its DS record.',
      fix:
        `Compare the DS record of ${zone} at your registrar with the keys at your DNS provider. After changing ` +
        'providers, remove the old DS record. A live domain stays up in the meantime.',
    }),
  ]
}

function noAnswers({ observation, wanted, answers }: Evidence): Finding[] {
  if (answers.length > 0) return []
  if (observation.isOffline === true) return [resolverDown(wanted.hostname)]
  const { servers, resolvers, source } = observation
  const { registrable } = wanted
  // A zone above the registrable domain is the registry's, which the owner cannot fix.
  const isOwn = observation.zone !== null && isWithin(observation.zone, registrable)
  const zone = isOwn ? observation.zone : registrable
  const retry = 'We retry automatically, and a live domain stays up.'
  const failing = servers.filter(({ outcome }) => outcome === 'servfail').map(({ name }) => name)
  if (failing.length > 0) {
    if (resolvers.dnssecFailure) return []
    const message =
      source === 'resolvers'
        ? `We couldn't reach any nameserver of ${zone}, and resolvers return errors.`
        : `The nameservers of ${zone} return errors: ${formatList(failing)}.`
    return [finding('servfail', { message, fix: `${retry} If this continues, contact your DNS provider.` })]
  }
  const message =
    servers.length === 0
      ? `We couldn't reach the DNS of ${zone}.`
      : `We couldn't reach the DNS of ${zone}: ${withReasons(servers)}.`
  const fix = `Check that the nameservers of ${registrable} are set up at your registrar. ${retry}`
  return [finding('servers_unreachable', { message, fix })]
}

/** Blames nobody else: without a resolver we know nothing about the name. */
export function resolverDown(hostname: string): Finding {
  return finding('resolver_down', {
    message: `Our own DNS resolver does not answer, so we couldn't check ${hostname}.`,
    fix: 'Nothing to do: this is a problem on our side. We retry automatically, and a live domain stays up.',
  })
}

function disagreement({ observation, wanted, answers }: Evidence): Finding[] {
  const groups = Map.groupBy(answers, (answer) =>
    isRight(answer.verdict, observation) ? 'right' : answerKey(answer),
  )
  if (groups.size < 2) return []
  const names = new Set(answers.map(({ server }) => server.name))
  const label = ({ server }: JudgedAnswer) =>
    names.size === answers.length ? server.name : `${server.name} (${server.address})`
  const said = [...groups.values()].map((group) => {
    const records = group.flatMap(({ server }) => server.records)
    return `${formatList(group.map(label))}: ${records.length === 0 ? 'no record' : formatRecords(records)}`
  })
  const sayings = said.slice(0, 4).join('; ')
  if (observation.source === 'resolvers') {
    return [
      finding('resolvers_disagree', {
        message: `Resolvers give different answers for ${wanted.hostname}, and we couldn't reach a nameserver. ${sayings}.`,
        fix: 'After a change, wait until all of them have it: some may still have the old record cached.',
      }),
    ]
  }
  const behind = answers.filter(({ verdict }) => !isRight(verdict, observation))
  const isUnderWay = behind.length < answers.length
  return [
    finding('servers_disagree', {
      message: `The nameservers give different answers for ${wanted.hostname}. ${sayings}.`,
      fix: isUnderWay
        ? 'After a change, wait until all of them have it. If this continues, the zone is no longer updated at ' +
          `${formatList(behind.map(label))}: fix that, or remove the server at your registrar.`
        : 'Set the record on each of them, or remove unused nameservers at your registrar.',
    }),
  ]
}

/** With many addresses, answers may differ each time. That alone is no disagreement. */
function answerKey({ server, verdict }: JudgedAnswer): string {
  if (verdict !== 'other_name') return verdict
  return server.records
    .map(({ value }) => value.toLowerCase())
    .sort()
    .join(' ')
}

/** Only where other servers answered; otherwise `noAnswers` covers it. */
function weakServers({ observation, wanted, answers }: Evidence): Finding[] {
  if (answers.length === 0) return []
  // A zone above the registrable domain is the registry's, which is not to blame.
  const isOwn = observation.zone !== null && isWithin(observation.zone, wanted.registrable)
  const zone = isOwn && observation.zone !== null ? observation.zone : wanted.registrable
  const weak = observation.servers.filter(({ outcome }) => outcome !== 'answered')
  if (observation.source === 'resolvers') return insteadOfServers(zone, weak)
  const lame = weak.filter(({ outcome }) => outcome === 'lame' || outcome === 'refused')
  const silent = weak.filter((server) => !lame.includes(server))
  const findings: Finding[] = []
  if (silent.length > 0) {
    findings.push(
      finding('nameserver_unreachable', {
        message: `We couldn't reach every nameserver of ${zone}: ${withReasons(silent)}.`,
        fix:
          'The others answered. If this continues, fix it or remove it at your registrar: ' +
          'it slows down visitors too.',
      }),
    )
  }
  if (lame.length > 0) {
    findings.push(
      finding('nameserver_lame', {
        message: `Not every nameserver of ${zone} knows the zone: ${withReasons(lame)}.`,
        fix: 'Set up the zone there, or remove the server at your registrar.',
      }),
    )
  }
  return findings
}

/** No nameserver could be reached. Our own resolvers are not named: they are an internal detail. */
function insteadOfServers(zone: string, weak: readonly ServerObservation[]): Finding[] {
  const nameservers = weak.filter(({ name }) => name !== 'resolver')
  if (nameservers.length === 0) return []
  return [
    finding('nameserver_unreachable', {
      message: `We couldn't reach any nameserver of ${zone}: ${withReasons(nameservers)}. We asked resolvers instead.`,
      fix: 'They may still have an old record cached. If this continues, contact your DNS provider.',
    }),
  ]
}

function withReasons(servers: readonly ServerObservation[]): string {
  return formatList(servers.map(({ name, outcome }) => `${name} (${reasons[outcome]})`))
}

const reasons: Record<ViewOutcome, string> = {
  answered: 'answers',
  servfail: 'returns an error',
  timeout: 'no answer in time',
  unreachable: 'cannot be reached',
  malformed: 'its answer cannot be read',
  lame: 'does not know the zone',
  refused: 'refuses to answer',
  private_address: 'its address is not public',
  no_address: 'its name has no address',
}

/** Only where there is an answer that can come from a wildcard. */
export function wildcardFindings(evidence: Evidence): Finding[] {
  const { wanted, seen, allRight, zone } = evidence
  const { wildcard } = evidence.observation
  if (wildcard === null || seen.length === 0) return []
  const { hostname } = wanted
  const name = recordName(hostname, wanted, zone)
  return [
    finding('wildcard_answer', {
      message: `The answer for ${hostname} comes from a wildcard record (${wildcard}).`,
      fix: allRight
        ? `This works. ${whereToEdit(evidence)}, you can add a separate record for ${name}, so that changes to the wildcard do not affect it.`
        : `The wildcard can stay: a separate record for ${name} overrides it.`,
    }),
  ]
}
