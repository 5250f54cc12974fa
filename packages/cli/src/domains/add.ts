import { shellName } from '@masthead/contract/domains/shell-name.ts'
import { isReached } from '@masthead/contract/domains/states.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { projectFlag } from '../project/choose-project.ts'
import { clockTime } from '../terminal/format.ts'
import type { Paint } from '../terminal/output.ts'
import { alternativeLines, recordTable, zoneOf } from './check-lines.ts'
import { paragraphs } from './domain-lines.ts'
import { displayHostname, parseHostname } from './hostname.ts'
import { pendingReason, stateTitle } from './status.ts'
import { type DomainVerb, inProject } from './verb.ts'

export const add: DomainVerb = {
  takes: ['NAME'],
  options: ['move'],
  async run(context, [word = ''], values) {
    const { out, signal } = context
    const body = { hostname: parseHostname(word), ...(values.move ? { move: true } : {}) }
    const { client, params } = await inProject(context, values)
    const domain = await client.addDomain({ params, body, signal })
    const inLab = domain.hostname.endsWith('.localhost') && (await client.getServer({ signal })).lab
    const facts = {
      project: params.project,
      inLab,
      now: Date.now(),
      also: projectFlag(values.project),
    }
    const text = addedLines(domain, facts, (style, part) => out.style(style, part)).join('\n')
    return { document: domain, text }
  },
}

interface Facts {
  project: string
  inLab: boolean
  now: number
  also: string
}

function addedLines(domain: Domain, { project, inLab, now, also }: Facts, paint: Paint): string[] {
  const { hostname, state, records, checkedUntil } = domain
  const added = `Added ${paint('green', displayHostname(domain))} to ${project}`
  if (isReached(state))
    return [`${added}. Status: ${stateTitle(state)}. ${pendingReason(domain, { now, also })}`]
  const [first] = records
  const which = records.length === 1 ? 'this record' : 'these records'
  const where = first === undefined ? '' : ` in the DNS of ${zoneOf(first)}`
  const until = checkedUntil === null ? '' : ` until ${clockTime(checkedUntil, now)}`
  return paragraphs([
    [`${added}. Set ${which}${where}:`],
    recordTable(records, paint),
    alternativeLines(records, paint),
    inLab ? labLines(records) : [],
    proofLines(domain),
    [
      `We check for it automatically${until}, every few seconds at first.`,
      `To wait for it: masthead domains verify ${shellName(hostname)}${also}`,
    ],
  ])
}

/** How the ownership of an apex domain or a wildcard is proved. */
function proofLines({ hostname, kind, records, proof }: Domain): string[] {
  const isAsked = records.some(({ purpose }) => purpose === 'ownership')
  if (kind === 'wildcard') {
    return isAsked ? ['The TXT record proves the whole domain for your account, which a wildcard needs.'] : []
  }
  if (kind !== 'apex' || proof?.by === 'account') return []
  return isAsked
    ? [
        `The TXT record proves that ${hostname} is yours. You don't need it if you add www.${hostname} too:`,
        'its CNAME record proves both.',
      ]
    : [`The CNAME record of your other domain in the same zone proves that ${hostname} is yours.`]
}

function labLines(records: Domain['records']): string[] {
  const what = records.length === 1 ? 'it' : 'them'
  return [
    `This server has a lab: its own DNS for names under .localhost. Set ${what} there:`,
    ...records.map(({ fqdn, type, value }) => `  masthead lab set ${shellName(fqdn)} ${type} ${value}`),
  ]
}
