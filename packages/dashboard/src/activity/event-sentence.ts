import type { EventType } from '@masthead/contract/events.ts'
import { plans } from '@masthead/contract/plans.ts'
import { type HtmlHandling, htmlHandlings } from '@masthead/contract/project-settings.ts'
import type { AccountEvent } from '@masthead/contract/schemas/account.ts'
import type { Project, ProjectChange } from '@masthead/contract/schemas/project.ts'
import { roles } from '@masthead/contract/scopes.ts'
import { unicodeHostname } from '../unicode-hostname.ts'
import { count, named, type Part, type Sentence, text } from './sentence.ts'

type Changeable = Extract<keyof ProjectChange, keyof Project>

const changes: Record<Changeable, (value: unknown) => Sentence> = {
  name: (value) => ['its name is now ', text(value, 'another one')],
  slug: (value) => ['its slug is now ', named(value, 'project', 'another one')],
  htmlHandling: (value) => [`paths of HTML files are “${handlingWords(value)}”`],
  singlePage: (value) => [`single page is ${onOff(value)}`],
  strictTransportSecurity: (value) => [`HTTPS alone is ${onOff(value)}`],
}

/** The settings that an event names, each with its new value. */
function projectChanged(data: Readonly<Record<string, unknown>>): Sentence {
  const changed = Object.entries(changes).filter(([field]) => Object.hasOwn(data, field))
  const told = changed.flatMap(([field, words], index) => [index === 0 ? ': ' : ', ', ...words(data[field])])
  return ['The project was changed', ...told]
}

function handlingWords(value: unknown): string {
  const known = typeof value === 'string' && Object.hasOwn(htmlHandlings, value)
  return known ? htmlHandlings[value as HtmlHandling] : 'another way'
}

function onOff(value: unknown): string {
  return value === true ? 'on' : 'off'
}

type Data = AccountEvent['data']

/** What happened, in a sentence without its full stop; who did it stands beside it. */
export function eventSentence({ type, data }: Pick<AccountEvent, 'type' | 'data'>): Sentence {
  return sentences[type](data)
}

const sentences: Record<EventType, (data: Data) => Sentence> = {
  'account.created': () => ['The account was created'],
  'account.renamed': ({ name }) => ['The account is now called ', text(name, 'something else')],
  'account.plan_changed': ({ plan }) => ['The plan is now ', text(titleOf(plans, plan), 'another one')],
  'account.quota_warning': quotaWarning,

  'account.suspended': ({ reason }) => ['The account was suspended: ', text(reason, 'no reason given')],
  'account.restored': () => ['The account was restored'],
  'account.deleted': () => ['The account was deleted'],

  'member.joined': ({ email, role }) => [text(email, 'Somebody'), ` joined${asRole(role)}`],
  'member.role_changed': ({ email, role }) => [text(email, 'Somebody'), ` goes on${asRole(role)}`],
  'member.removed': ({ email }) => [text(email, 'Somebody'), ' was removed from the account'],
  'member.signed_in': ({ email, network, known }) => [
    text(email, 'Somebody'),
    ` signed in from ${known === true ? '' : 'a new place, '}`,
    text(network, 'an unknown network'),
  ],
  'member.sign_in_failed': ({ email, network, failures }) => [
    typeof failures === 'number' ? `${count(failures)} attempts` : 'Several attempts',
    ' to sign in as ',
    text(email, 'somebody'),
    ' failed, the last from ',
    text(network, 'an unknown network'),
  ],
  'member.left': ({ email }) => [text(email, 'Somebody'), ' left the account'],
  'member.changed': personChanged,
  'member.password_changed': ({ email }) => [text(email, 'Somebody'), ' changed their password'],
  'member.reset_link_created': ({ email }) => [
    'A link to set a new password was created for ',
    text(email, 'somebody'),
  ],
  'member.password_reset': ({ email }) => [text(email, 'Somebody'), ' set a new password by a link'],
  'invitation.created': ({ email, role }) => [text(email, 'Somebody'), ` was invited${asRole(role)}`],
  'invitation.revoked': ({ email }) => ['The invitation of ', text(email, 'somebody'), ' was taken back'],

  'key.created': (data) => ['The API key ', key(data), ' was created'],
  'key.revoked': (data) => ['The API key ', key(data), ' was revoked'],
  'key.banned': (data) => ['The API key ', key(data), ` was banned ${until(data)}: it ${wentOn(data)}`],
  'key.unbanned': (data) => ['The ban of the API key ', key(data), ' was lifted'],

  'project.created': ({ slug }) => ['The project ', named(slug, 'project', 'of this line'), ' was created'],
  'project.changed': projectChanged,
  'project.deleted': ({ slug }) => ['The project ', text(slug, 'of this line'), ' was deleted'],

  'project.taken_down': ({ slug, reason }) => [
    'The site ',
    named(slug, 'project', 'of this line'),
    ' was taken down: ',
    text(reason, 'no reason given'),
  ],
  'project.restored': ({ slug }) => ['The site ', named(slug, 'project', 'of this line'), ' is shown again'],

  'deployment.ready': (data) => [deployment(data), ` is ready${holding(data)}`],
  'deployment.activated': (data) => [deployment(data), ' went live'],
  'deployment.deleted': (data) => [deployment(data), ' was deleted'],

  'domain.added': (data) => [domain(data), ' was added'],
  'domain.moved': ({ from, to, ...data }) => [
    domain(data),
    ' was moved from ',
    text(from, 'one project'),
    ' to ',
    named(to, 'project', 'another'),
  ],
  'domain.verified': (data) => ['The DNS of ', domain(data), ' was found right'],
  'domain.live': (data) => [domain(data), ' is live, with its certificate in place'],
  'domain.drifted': (data) => ['The DNS of ', domain(data), ' no longer points here'],
  'domain.recovered': (data) => ['The DNS of ', domain(data), ' points here again'],
  'domain.failed': (data) => [domain(data), ` was stopped${because(data)}`],
  'domain.lost': ({ hostname }) => [
    goneDomain(hostname),
    ' went to another account, which proved that it controls the name',
  ],
  'domain.proof_asked': ({ dueAt, ...data }) => [
    domain(data),
    ` needs a proof in DNS that it is yours${typeof dueAt === 'string' ? `, by ${dueAt.slice(0, 10)}` : ''}`,
  ],
  'domain.proof_found': (data) => ['The proof that ', domain(data), ' is yours was found in DNS'],
  'domain.suspended': (data) => [domain(data), ' was suspended: the plan does not include it'],
  'domain.resumed': (data) => [domain(data), ' was resumed'],
  'domain.removed': ({ hostname }) => [goneDomain(hostname), ' was removed'],
  'domain.config_changed': (data) => [goneDomain(data.primary), ` is primary${redirecting(data)}`],
}

function personChanged({ email, change }: Data): Sentence {
  const { name, email: address } = (change ?? {}) as { name?: unknown; email?: unknown }
  if (address !== undefined)
    return [text(email, 'Somebody'), ' signs in as ', text(address, 'another'), ' now']
  return [text(email, 'Somebody'), ' is now called ', text(name, 'something else')]
}

function domain({ hostname }: Data): Part {
  if (typeof hostname !== 'string') return 'A domain'
  return { name: unicodeHostname(hostname), is: 'domain', foundBy: hostname }
}

/** One that is no longer here to be led to. */
function goneDomain(hostname: unknown): Part {
  return typeof hostname === 'string' ? text(unicodeHostname(hostname), 'A domain') : 'A domain'
}

const deployment = ({ deploymentId }: Data): Part => named(deploymentId, 'deployment', 'A deployment')
const key = ({ name }: Data): Part => text(name, 'of this line')

function titleOf(table: Readonly<Record<string, { title: string }>>, name: unknown): string | undefined {
  return typeof name === 'string' && Object.hasOwn(table, name) ? table[name]?.title : undefined
}

function asRole(role: unknown): string {
  const title = titleOf(roles, role)?.toLowerCase()
  return title === undefined ? ' in another role' : ` as ${title}`
}

function quotaWarning({ used, limit, percent }: Data): Sentence {
  if (typeof used !== 'number' || typeof limit !== 'number') return ['Most requests of the day are used']
  if (percent === 100) return [`All ${count(limit)} requests of the day are used`]
  return [`${count(used)} of the day’s ${count(limit)} requests are used`]
}

function until(data: Data): string {
  const at = Date.parse(String(data.until))
  if (Number.isNaN(at)) return 'for a while'
  const format = { day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit' } as const
  return `until ${new Date(at).toLocaleString('en-GB', format)}`
}

function wentOn({ violations }: Data): string {
  const what = typeof violations === 'number' ? `sent ${count(violations)} requests` : 'went on'
  return `${what} after being told to wait`
}

function because({ reason }: Data): string {
  if (reason === 'dns') return ': its DNS record was not found in time'
  if (reason === 'certificate_refused') return ': the certificate authority will not issue for it'
  if (reason === 'certificate_expired') return ': its DNS pointed elsewhere until the certificate ran out'
  return ''
}

function holding({ files }: Data): string {
  if (typeof files !== 'number') return ''
  return files === 1 ? ', with 1 file' : `, with ${count(files)} files`
}

function redirecting({ redirects }: Data): string {
  if (typeof redirects !== 'number') return ''
  if (redirects === 0) return ', nothing redirects'
  return redirects === 1 ? ', 1 name redirects' : `, ${count(redirects)} names redirect`
}
