import type { DnsCheck, Finding } from '@masthead/contract/schemas/domain.ts'
import { columns } from '../columns.ts'
import { clockTime } from '../human-time.ts'
import { printable } from '../printable.ts'
import type { Paint } from '../usage/chart.ts'
import { wrap } from '../wrap.ts'
import { changeLines } from './record-lines.ts'

export interface Place {
  now: number
  width: number
  /** What commands that are shown end with: ` --project site`, or nothing. */
  also: string
}

/** What a look at DNS saw, what follows from it, and what to do: paragraphs of lines. */
export function checkParagraphs(check: DnsCheck, place: Place, paint: Paint): string[][] {
  const toDo = check.changes.some(({ action }) => action !== 'keep')
  return [
    nameserverLines(check, paint),
    ...check.findings.map((finding) => findingLines(finding, place, paint)),
    ...(toDo ? [[paint('bold', 'To do in DNS'), ...changeLines(check.changes, paint)]] : []),
  ].filter((lines) => lines.length > 0)
}

const signs = {
  stops: { sign: '✗', style: 'red' },
  unclear: { sign: '?', style: 'yellow' },
  tells: { sign: 'i', style: 'dim' },
} as const

function findingLines(finding: Finding, place: Place, paint: Paint): string[] {
  const { effect, message, fix, records = [], until } = finding
  const { sign, style } = signs[effect]
  const paragraph = (text: string) => wrap(printable(text, 1_000), place.width, '  ')
  const paragraphOrCommand = (text: string) =>
    text.startsWith('masthead ') ? [`    ${text}`] : paragraph(text)
  const [first = '', ...rest] = paragraph(message)
  // Those that the sentences name already would only be read twice.
  const shown = records.filter(({ value }) => !`${message} ${fix}`.includes(value))
  const rows = shown.map(({ type, fqdn, value }) => [printable(type), printable(fqdn), printable(value)])
  return [
    `${paint(style, sign)} ${first.trimStart()}`,
    ...rest,
    ...withCommandsApart(printable(fix, 1_000)).flatMap(paragraphOrCommand),
    ...columns(rows).map((line) => `    ${line}`),
    ...(until === undefined ? [] : [`  Until ${clockTime(until, place.now)}.`]),
  ]
}

/** Each command stands on a line of its own, however long, so that it can be copied whole. */
function withCommandsApart(text: string): string[] {
  const [, before, commands] = /^(.*\brun:) (masthead .+)$/.exec(text) ?? []
  return before === undefined || commands === undefined
    ? [text]
    : [before, ...commands.split(/; (?=masthead )/)]
}

function nameserverLines({ nameservers, zone, provider, source }: DnsCheck, paint: Paint): string[] {
  if (nameservers.length === 0) return []
  const where =
    source === 'resolvers' ? 'Resolvers say' : `Nameservers${zone === null ? '' : ` of ${printable(zone)}`}`
  const whose = provider === null ? '' : paint('dim', `  ${printable(provider)}`)
  const rows = nameservers.map(({ name, address, outcome, answers }) => [
    printable(name),
    paint('dim', address ?? ''),
    outcome === 'answered' ? answersIn(answers) : paint('yellow', excuses[outcome] ?? printable(outcome)),
  ])
  return [`${paint('bold', where)}${whose}`, ...columns(rows).map((line) => `  ${line}`)]
}

const mostAnswers = 6

function answersIn(answers: DnsCheck['nameservers'][number]['answers']): string {
  if (answers.length === 0) return 'no record'
  const told = answers
    .slice(0, mostAnswers)
    .map(({ type, value }) => `${printable(type)} ${printable(value)}`)
  return [...told, ...(answers.length > mostAnswers ? ['…'] : [])].join(', ')
}

const excuses: Partial<Record<string, string>> = {
  timeout: 'does not answer',
  unreachable: 'cannot be reached',
  lame: 'does not know the zone',
  refused: 'refuses to answer',
  servfail: 'says that it cannot answer (SERVFAIL)',
  malformed: 'gave an answer that cannot be read',
  private_address: 'has a private address, and was not asked',
  no_address: 'has no address',
}
