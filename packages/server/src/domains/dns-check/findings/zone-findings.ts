import type { Finding } from '@masthead/contract/schemas/domain.ts'
import type { ViewOutcome } from '../../../dns/server-view.ts'
import { formatList, formatRecords } from '../../../kernel/english.ts'
import { recordName } from '../../records.ts'
import type { Evidence, JudgedAnswer } from '../evidence.ts'
import { whereToEdit } from '../instructions.ts'
import type { ServerObservation } from '../observation.ts'
import { finding } from './finding.ts'

/** What the zone and its servers are like, whatever the record of the name. */
export function zoneFindings(evidence: Evidence): Finding[] {
  return [
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
      fix: `Register ${wanted.registrable}, or set its nameservers at the registrar; the records come after that.`,
    }),
  ]
}

function dnssec({ observation, wanted }: Evidence): Finding[] {
  if (!observation.resolvers.dnssecFailure) return []
  const zone = observation.zone ?? wanted.registrable
  return [
    finding('dnssec_failure', {
      message:
        `Resolvers refuse the answers of ${zone} unless they are told not to validate them: most likely its ` +
        'DNSSEC signatures do not fit its DS record.',
      fix:
        `Compare the DS record of ${zone} at the registrar with the keys where its DNS is run. After a change of ` +
        'provider the old DS record has to go. Nothing is taken away meanwhile.',
    }),
  ]
}

function noAnswers({ observation, wanted, answers }: Evidence): Finding[] {
  if (answers.length > 0) return []
  const { servers, resolvers, source } = observation
  const zone = observation.zone ?? wanted.registrable
  const fix = 'Nothing is taken away, and it is tried again by itself. If it stays, ask whoever runs them.'
  const failing = servers.filter(({ outcome }) => outcome === 'servfail').map(({ name }) => name)
  if (failing.length > 0) {
    if (resolvers.dnssecFailure) return []
    const message =
      source === 'resolvers'
        ? `No nameserver of ${zone} could be reached, and resolvers answer with an error.`
        : `The nameservers of ${zone} answer with an error: ${formatList(failing)}.`
    return [finding('servfail', { message, fix })]
  }
  const message =
    servers.length === 0
      ? `No nameserver of ${zone} could be found or asked.`
      : `None of the nameservers of ${zone} could be asked: ${withReasons(servers)}.`
  return [finding('servers_unreachable', { message, fix })]
}

function disagreement({ observation, wanted, answers }: Evidence): Finding[] {
  const groups = Map.groupBy(answers, answerKey)
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
        message: `Resolvers give different answers for ${wanted.hostname}, and no nameserver could be asked. ${sayings}.`,
        fix: 'After a change, wait until all of them have it: some may still remember what was there before.',
      }),
    ]
  }
  const behind = answers.filter(({ verdict }) => verdict !== 'right')
  const isUnderWay = behind.length < answers.length
  return [
    finding('servers_disagree', {
      message: `The nameservers give different answers for ${wanted.hostname}. ${sayings}.`,
      fix: isUnderWay
        ? 'After a change, wait until all of them have it. If it stays, the zone is no longer updated at ' +
          `${formatList(behind.map(label))}: mend that, or take the server off the list at the registrar.`
        : 'Set the record at each of them, or take those that are no longer used off the list at the registrar.',
    }),
  ]
}

/** Addresses may differ from answer to answer where they are many; that alone is no disagreement. */
function answerKey({ server, verdict }: JudgedAnswer): string {
  if (verdict !== 'other_name') return verdict
  return server.records
    .map(({ value }) => value.toLowerCase())
    .sort()
    .join(' ')
}

/** Told beside answers of others; where there are none, `silence` has told it. */
function weakServers({ observation, wanted, answers }: Evidence): Finding[] {
  if (answers.length === 0) return []
  const zone = observation.zone ?? wanted.registrable
  const weak = observation.servers.filter(({ outcome }) => outcome !== 'answered')
  if (observation.source === 'resolvers') return insteadOfServers(zone, weak)
  const lame = weak.filter(({ outcome }) => outcome === 'lame' || outcome === 'refused')
  const silent = weak.filter((server) => !lame.includes(server))
  const findings: Finding[] = []
  if (silent.length > 0) {
    findings.push(
      finding('nameserver_unreachable', {
        message: `Not every nameserver of ${zone} could be asked: ${withReasons(silent)}.`,
        fix:
          'The others answered. If it stays, mend it or take it off the list at the registrar: ' +
          'visitors wait for it too.',
      }),
    )
  }
  if (lame.length > 0) {
    findings.push(
      finding('nameserver_lame', {
        message: `Not every nameserver of ${zone} knows the zone: ${withReasons(lame)}.`,
        fix: 'Set up the zone there, or take the server off the list at the registrar.',
      }),
    )
  }
  return findings
}

/** Where no nameserver could be reached; which of our own resolvers answered is nobody else's business. */
function insteadOfServers(zone: string, weak: readonly ServerObservation[]): Finding[] {
  const nameservers = weak.filter(({ name }) => name !== 'resolver')
  if (nameservers.length === 0) return []
  return [
    finding('nameserver_unreachable', {
      message: `No nameserver of ${zone} could be asked: ${withReasons(nameservers)}. Resolvers were asked instead.`,
      fix: 'They may remember what was there before a change. If it stays, ask whoever runs the nameservers.',
    }),
  ]
}

function withReasons(servers: readonly ServerObservation[]): string {
  return formatList(servers.map(({ name, outcome }) => `${name} (${reasons[outcome]})`))
}

const reasons: Record<ViewOutcome, string> = {
  answered: 'answers',
  servfail: 'answers with an error',
  timeout: 'no answer in time',
  unreachable: 'cannot be reached',
  malformed: 'its answer cannot be read',
  lame: 'does not know the zone',
  refused: 'refuses to answer',
  private_address: 'its address is not public',
  no_address: 'its name has no address',
}

/** Only told where there is an answer that could be one. */
export function wildcardFindings(evidence: Evidence): Finding[] {
  const { wanted, seen, allRight, zone } = evidence
  const { wildcard } = evidence.observation
  if (wildcard === null || seen.length === 0) return []
  const { hostname } = wanted
  const name = recordName(hostname, wanted, zone)
  return [
    finding('wildcard_answer', {
      message: `The answer for ${hostname} comes from a wildcard (${wildcard}), which any name there gets.`,
      fix: allRight
        ? `It works. ${whereToEdit(evidence)}, a record of its own for ${name} would keep it apart from the others.`
        : `The wildcard can stay: a record of its own for ${name} takes its place.`,
    }),
  ]
}
