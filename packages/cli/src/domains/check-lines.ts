import type {
  DnsCheck,
  Finding,
  RecordChange,
  RequiredDnsRecord,
} from '@masthead/contract/schemas/domains/dns-check.ts'
import { clockTime } from '../terminal/format.ts'
import { alignColumns, sanitize, wrapText } from '../terminal/layout.ts'
import type { Paint } from '../terminal/output.ts'

/** The records to set, as DNS providers ask for them. */
export function recordTable(
  records: readonly Pick<RequiredDnsRecord, 'type' | 'name' | 'value' | 'ttl'>[],
  paint: Paint,
): string[] {
  const titles = ['Type', 'Name', 'Value', 'TTL'].map((title) => paint('dim', title))
  const rows = records.map(({ type, name, value, ttl }) => [paint('bold', type), name, value, String(ttl)])
  return alignColumns([titles, ...rows]).map((line) => `  ${line}`)
}

/** Alternatives for providers without ALIAS and ANAME; may be empty. */
export function alternativeLines(records: readonly RequiredDnsRecord[], paint: Paint): string[] {
  const rows = records.flatMap(({ name, ttl, alternatives }) =>
    alternatives.map(({ type, value }) => [paint('bold', type), name, value, String(ttl)]),
  )
  if (rows.length === 0) return []
  return [
    'If your DNS provider has neither ALIAS nor ANAME, set this instead:',
    ...alignColumns(rows).map((line) => `  ${line}`),
  ]
}

const actions = {
  keep: { style: 'dim', sign: ' ' },
  add: { style: 'green', sign: '+' },
  change: { style: 'yellow', sign: '~' },
  remove: { style: 'red', sign: '-' },
} as const

/** The DNS changes as a diff. */
function changeLines(changes: readonly RecordChange[], paint: Paint): string[] {
  const rows = changes.map(({ action, type, name, from, to, ttl }) => {
    const { style, sign } = actions[action]
    const values = action === 'change' ? [from, to] : [to ?? from]
    const value = values
      .map((text) => (text === null ? '(shown once you add it)' : sanitize(text)))
      .join(' → ')
    const last = action === 'add' || action === 'change' ? `TTL ${ttl}` : ''
    return [paint(style, `${sign} ${action}`), sanitize(type), sanitize(name), value, last]
  })
  return alignColumns(rows).map((line) => `  ${line}`)
}

/** The zone of the record. */
export function zoneOf({ name, fqdn }: Pick<RequiredDnsRecord, 'name' | 'fqdn'>): string {
  return name === '@' ? fqdn : fqdn.slice(name.length + 1)
}

export interface LineContext {
  now: number
  width: number
  /** Appended to suggested commands: ` --project site`, or nothing. */
  also: string
}

/** Nameserver answers, findings and changes, as paragraphs of lines. */
export function checkParagraphs(check: DnsCheck, place: LineContext, paint: Paint): string[][] {
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

export function findingLines(finding: Finding, place: LineContext, paint: Paint): string[] {
  const { effect, message, fix, records = [], until } = finding
  const { sign, style } = signs[effect]
  const paragraph = (text: string) => wrapText(sanitize(text, 1_000), place.width, '  ')
  const paragraphOrCommand = (text: string) =>
    text.startsWith('masthead ') ? [`    ${text}`] : paragraph(text)
  const [first = '', ...rest] = paragraph(message)
  // Skip records that the text already contains.
  const shown = records.filter(({ value }) => !`${message} ${fix}`.includes(value))
  const rows = shown.map(({ type, fqdn, value }) => [sanitize(type), sanitize(fqdn), sanitize(value)])
  return [
    `${paint(style, sign)} ${first.trimStart()}`,
    ...rest,
    ...separateCommands(sanitize(fix, 1_000)).flatMap(paragraphOrCommand),
    ...alignColumns(rows).map((line) => `    ${line}`),
    ...(until === undefined ? [] : [`  Until ${clockTime(until, place.now)}.`]),
  ]
}

/** Puts each command on its own line, so that it can be copied. */
function separateCommands(text: string): string[] {
  const [, before, commands] = /^(.*\brun:) (masthead .+)$/.exec(text) ?? []
  return before === undefined || commands === undefined
    ? [text]
    : [before, ...commands.split(/; (?=masthead )/)]
}

function nameserverLines({ nameservers, zone, provider, source }: DnsCheck, paint: Paint): string[] {
  if (nameservers.length === 0) return []
  const where =
    source === 'resolvers' ? 'Resolvers say' : `Nameservers${zone === null ? '' : ` of ${sanitize(zone)}`}`
  const whose = provider === null ? '' : paint('dim', `  ${sanitize(provider)}`)
  const rows = nameservers.map(({ name, address, outcome, answers }) => [
    sanitize(name),
    paint('dim', address ?? ''),
    outcome === 'answered' ? answersIn(answers) : paint('yellow', excuses[outcome] ?? sanitize(outcome)),
  ])
  return [`${paint('bold', where)}${whose}`, ...alignColumns(rows).map((line) => `  ${line}`)]
}

const maxAnswers = 6

function answersIn(answers: DnsCheck['nameservers'][number]['answers']): string {
  if (answers.length === 0) return 'no record'
  const told = answers.slice(0, maxAnswers).map(({ type, value }) => `${sanitize(type)} ${sanitize(value)}`)
  return [...told, ...(answers.length > maxAnswers ? ['…'] : [])].join(', ')
}

const excuses: Partial<Record<string, string>> = {
  timeout: 'does not answer',
  unreachable: 'cannot be reached',
  lame: 'is not responsible for the zone',
  refused: 'refuses to answer',
  servfail: 'failed to answer (SERVFAIL)',
  malformed: 'sent an unreadable answer',
  private_address: 'has a private address; not queried',
  no_address: 'has no address',
}
