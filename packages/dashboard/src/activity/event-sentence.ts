import { deploymentTitle } from '@masthead/contract/deployments.ts'
import { proxyProviderNames, proxyProviders } from '@masthead/contract/domains/proxy-providers.ts'
import type { EventType } from '@masthead/contract/events.ts'
import { plans } from '@masthead/contract/plans.ts'
import { type HtmlHandling, htmlHandlings } from '@masthead/contract/project-settings.ts'
import type { AccountEvent } from '@masthead/contract/schemas/account.ts'
import type { Project, ProjectChange } from '@masthead/contract/schemas/project.ts'
import { roleNames, roles } from '@masthead/contract/scopes.ts'
import { asRole } from '../ui/role-words.ts'
import { unicodeHostname } from '../unicode-hostname.ts'
import { count, named, type Part, type Sentence, text } from './sentence.ts'

type Changeable = Extract<keyof ProjectChange, keyof Project>

const changes: Record<Changeable, (value: unknown) => Sentence> = {
  name: (value) => ['name is now ', text(value, 'different')],
  slug: (value) => ['slug is now ', named(value, 'project', 'different')],
  htmlHandling: (value) => [`HTML paths are “${handlingWords(value)}”`],
  singlePage: (value) => [`single-page app is ${onOff(value)}`],
  strictTransportSecurity: (value) => [`HSTS is ${onOff(value)}`],
  productionBranch: (value) => ['production branch is now ', text(value, 'different')],
  staleWhileRevalidate: (value) => [`stale-while-revalidate is ${value === 0 ? 'off' : `${value} seconds`}`],
  immutableAssets: (value) => [`long caching of fingerprinted files is ${onOff(value)}`],
}

function projectChanged(data: Readonly<Record<string, unknown>>): Sentence {
  const changed = Object.entries(changes).filter(([field]) => Object.hasOwn(data, field))
  const parts = changed.flatMap(([field, words], index) => [index === 0 ? ': ' : ', ', ...words(data[field])])
  return ['Project settings changed', ...parts]
}

function handlingWords(value: unknown): string {
  const known = typeof value === 'string' && Object.hasOwn(htmlHandlings, value)
  return known ? htmlHandlings[value as HtmlHandling] : 'different'
}

function onOff(value: unknown): string {
  return value === true ? 'on' : 'off'
}

type Data = AccountEvent['data']

/** What happened, as a sentence without its full stop. The actor is shown next to it. */
export function eventSentence({ type, data }: Pick<AccountEvent, 'type' | 'data'>): Sentence {
  return sentences[type](data)
}

const sentences: Record<EventType, (data: Data) => Sentence> = {
  'account.created': () => ['The account was created'],
  'account.renamed': ({ name }) => ['The account was renamed to ', text(name, 'something else')],
  'account.plan_changed': ({ plan }) => ['The plan is now ', text(titleOf(plans, plan), 'different')],
  'account.quota_warning': quotaWarning,

  'account.suspended': ({ reason }) => ['The account was suspended: ', text(reason, 'no reason given')],
  'account.restored': () => ['The account was restored'],
  'account.deleted': () => ['The account was deleted'],

  'member.joined': ({ email, role }) => [text(email, 'Someone'), ` joined${inRole(role)}`],
  'member.role_changed': ({ email, role }) => [text(email, 'Someone'), roleChange(role)],
  'member.removed': ({ email }) => [text(email, 'Someone'), ' was removed from the account'],
  'member.signed_in': ({ email, network, known }) => [
    text(email, 'Someone'),
    ` signed in from ${known === true ? '' : 'a new location, '}`,
    text(network, 'an unknown network'),
  ],
  'member.sign_in_failed': ({ email, network, failures }) => [
    typeof failures === 'number' ? `${count(failures)} failed attempts` : 'Several failed attempts',
    ' to sign in as ',
    text(email, 'someone'),
    ', most recently from ',
    text(network, 'an unknown network'),
  ],
  'member.left': ({ email }) => [text(email, 'Someone'), ' left the account'],
  'member.changed': personChanged,
  'member.password_changed': ({ email }) => [text(email, 'Someone'), ' changed their password'],
  'member.reset_link_created': ({ email }) => [
    'A password reset link was created for ',
    text(email, 'someone'),
  ],
  'member.password_reset': ({ email }) => [text(email, 'Someone'), ' reset their password with a link'],
  'member.operator_changed': ({ email, operator }) => [
    text(email, 'Someone'),
    operator === true ? ' is now an operator of this server' : ' is no longer an operator of this server',
  ],
  'invitation.created': ({ email, role }) => [text(email, 'Someone'), ` was invited${inRole(role)}`],
  'invitation.revoked': ({ email }) => ['The invitation for ', text(email, 'someone'), ' was revoked'],

  'key.created': (data) => ['The API key ', key(data), ' was created'],
  'key.revoked': (data) => ['The API key ', key(data), ' was revoked'],
  'key.banned': (data) => [
    'The API key ',
    key(data),
    ` was banned ${until(data)}: it ${violationWords(data)}`,
  ],
  'key.unbanned': (data) => ['The ban on the API key ', key(data), ' was lifted'],

  'project.created': ({ slug }) => ['The project ', named(slug, 'project', '(unnamed)'), ' was created'],
  'project.changed': projectChanged,
  'project.deleted': ({ slug }) => ['The project ', text(slug, '(unnamed)'), ' was deleted'],

  'project.protected': ({ slug, scope, password }) => [
    password === true ? 'A password was set for ' : 'Password protection was changed for ',
    scope === 'previews' ? 'previews of ' : scope === 'paths' ? 'paths of ' : '',
    named(slug, 'project', '(unnamed)'),
  ],
  'project.unprotected': ({ slug }) => [
    'The password of ',
    named(slug, 'project', '(unnamed)'),
    ' was removed',
  ],
  'project.taken_down': ({ slug, reason }) => [
    'The site ',
    named(slug, 'project', '(unnamed)'),
    ' was taken down: ',
    text(reason, 'no reason given'),
  ],
  'project.restored': ({ slug }) => ['The site ', named(slug, 'project', '(unnamed)'), ' was restored'],

  'deployment.ready': (data) => [deployment(data), ` is ready${holding(data)}`],
  'deployment.activated': (data) => [deployment(data), ' went live'],
  'deployment.deleted': (data) => [deployment(data), ' was deleted'],

  'domain.added': (data) => [domain(data), ' was added'],
  'domain.branch_changed': ({ branch, ...data }) =>
    branch === null
      ? [domain(data), ' was set to show what is live']
      : [domain(data), ' was set to show the branch ', text(branch, 'of a deployment')],
  'domain.proxied_changed': ({ provider, ...data }) =>
    provider === null
      ? [domain(data), ' is no longer marked as behind a proxy']
      : [domain(data), ' was marked as behind ', providerTitle(provider)],
  'domain.moved': ({ from, to, ...data }) => [
    domain(data),
    ' was moved from ',
    text(from, 'one project'),
    ' to ',
    named(to, 'project', 'another'),
  ],
  'domain.verified': (data) => ['DNS for ', domain(data), ' was verified'],
  'domain.live': (data) => [domain(data), ' is live with a valid certificate'],
  'domain.drifted': (data) => ['DNS for ', domain(data), ' no longer points here'],
  'domain.recovered': (data) => ['DNS for ', domain(data), ' points here again'],
  'domain.failed': (data) => [domain(data), ` was stopped${because(data)}`],
  'domain.lost': ({ hostname }) => [
    goneDomain(hostname),
    ' moved to another account, which proved that it controls the domain',
  ],
  'domain.proof_asked': ({ dueAt, ...data }) => [
    domain(data),
    ` needs a DNS record that proves you own it${typeof dueAt === 'string' ? `, by ${dueAt.slice(0, 10)}` : ''}`,
  ],
  'domain.proof_found': (data) => ['The ownership record for ', domain(data), ' was found'],
  'domain.suspended': (data) => [domain(data), ' was suspended: the plan does not include custom domains'],
  'domain.resumed': (data) => [domain(data), ' was resumed'],
  'domain.certificate_uploaded': (data) => ['A certificate of your own was uploaded for ', domain(data)],
  'domain.certificate_removed': (data) => ['Masthead takes over the certificate of ', domain(data)],
  'domain.certificate_expiring': ({ days, ...data }) => [
    'Your certificate for ',
    domain(data),
    typeof days === 'number' ? ` expires in ${days === 1 ? '1 day' : `${days} days`}` : ' expires soon',
  ],
  'domain.removed': ({ hostname }) => [goneDomain(hostname), ' was removed'],
  'domain.config_changed': (data) => [goneDomain(data.primary), ` is the primary domain${redirecting(data)}`],

  'publisher.added': ({ name, slug }) => [
    text(name, 'A pipeline'),
    ' was trusted to deploy to ',
    text(slug, 'a project'),
  ],
  'publisher.used': ({ slug }) => ['A pipeline exchanged its token for a key for ', text(slug, 'a project')],
  'publisher.refused': ({ slug, detail }) => [
    'A token of a pipeline for ',
    text(slug, 'a project'),
    ' was refused: ',
    text(detail, 'unknown reason'),
  ],
  'publisher.removed': ({ name, slug }) => [
    text(name, 'A pipeline'),
    ' is no longer trusted to deploy to ',
    text(slug, 'a project'),
  ],
  'proof.started': (data) => ['The proof of ', text(data.domain, 'a domain'), ' was started'],
  'proof.found': (data) => [text(data.domain, 'A domain'), ' was proved: everything below it is yours'],
  'proof.drifted': (data) => [
    'The record that proves ',
    text(data.domain, 'a domain'),
    ' is missing: the proof ends in 30 days',
  ],
  'proof.recovered': (data) => ['The record that proves ', text(data.domain, 'a domain'), ' is back'],
  'proof.ended': (data) => [
    'The proof of ',
    text(data.domain, 'a domain'),
    ' ended: its record was not found in time',
  ],
  'proof.lost': (data) => ['Another account proved ', text(data.domain, 'a domain'), ', so your proof ended'],
  'proof.removed': (data) => ['The proof of ', text(data.domain, 'a domain'), ' was removed'],
  'webhook.created': ({ host }) => ['A webhook to ', text(host, 'an address'), ' was created'],
  'webhook.changed': ({ host, enabled }) => [
    'The webhook to ',
    text(host, 'an address'),
    enabled === false ? ' was paused' : ' was changed',
  ],
  'webhook.secret_rotated': ({ host }) => [
    'The secret of the webhook to ',
    text(host, 'an address'),
    ' was rotated',
  ],
  'webhook.disabled': ({ host, reason }) => [
    'The webhook to ',
    text(host, 'an address'),
    reason === 'gone' ? ' was disabled: its endpoint is gone' : ' was disabled: it failed for five days',
  ],
  'webhook.removed': ({ host }) => ['The webhook to ', text(host, 'an address'), ' was removed'],
}

function personChanged({ email, change }: Data): Sentence {
  const { name, email: address } = (change ?? {}) as { name?: unknown; email?: unknown }
  if (address !== undefined)
    return [text(email, 'Someone'), ' now signs in as ', text(address, 'a different address')]
  return [text(email, 'Someone'), ' changed their name to ', text(name, 'something else')]
}

/** As it is called in a sentence; a later version may know others. */
function providerTitle(provider: unknown): string {
  const known = proxyProviderNames.find((name) => name === provider)
  if (known === undefined) return 'a proxy'
  return known === 'other' ? 'another proxy or CDN' : proxyProviders[known].title
}

function domain({ hostname }: Data): Part {
  if (typeof hostname !== 'string') return 'A domain'
  return { name: unicodeHostname(hostname), is: 'domain', foundBy: hostname }
}

/** A domain that no longer has a page to link to. */
function goneDomain(hostname: unknown): Part {
  return typeof hostname === 'string' ? text(unicodeHostname(hostname), 'A domain') : 'A domain'
}

/** By what changed; the time and the actor beside it say the rest. */
function deployment({ deploymentId, message, branch, commit }: Data): Part {
  const name = deploymentTitle({ message: known(message), branch: known(branch), commit: known(commit) })
  const words = name ?? 'A deployment'
  return typeof deploymentId === 'string' ? { name: words, is: 'deployment', foundBy: deploymentId } : words
}

function known(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

const key = ({ name }: Data): Part => text(name, '(unnamed)')

function titleOf(table: Readonly<Record<string, { title: string }>>, name: unknown): string | undefined {
  return typeof name === 'string' && Object.hasOwn(table, name) ? table[name]?.title : undefined
}

function inRole(role: unknown): string {
  const known = roleNames.find((name) => name === role)
  return known === undefined ? ' in another role' : ` as ${asRole(known)}`
}

function roleChange(role: unknown): string {
  const title = titleOf(roles, role)?.toLowerCase()
  return title === undefined ? '’s role was changed' : `’s role is now ${title}`
}

function quotaWarning({ used, limit, percent }: Data): Sentence {
  if (typeof used !== 'number' || typeof limit !== 'number') return ['Most daily requests were used']
  if (percent === 100) return [`All ${count(limit)} daily requests were used`]
  return [`${count(used)} of ${count(limit)} daily requests were used`]
}

function until(data: Data): string {
  const at = Date.parse(String(data.until))
  if (Number.isNaN(at)) return 'for a while'
  const format = { day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit' } as const
  return `until ${new Date(at).toLocaleString('en-GB', format)}`
}

function violationWords({ violations }: Data): string {
  const sent = typeof violations === 'number' ? `sent ${count(violations)} requests` : 'kept sending requests'
  return `${sent} after being told to wait`
}

function because({ reason }: Data): string {
  if (reason === 'dns') return ': its DNS record was not found in time'
  if (reason === 'certificate_refused') return ': the certificate authority refused to issue a certificate'
  if (reason === 'certificate_expired') return ': its DNS pointed elsewhere until the certificate expired'
  return ''
}

function holding({ files }: Data): string {
  if (typeof files !== 'number') return ''
  return files === 1 ? ', with 1 file' : `, with ${count(files)} files`
}

function redirecting({ redirects }: Data): string {
  if (typeof redirects !== 'number') return ''
  if (redirects === 0) return ', with no redirects'
  return redirects === 1 ? ', with 1 redirect' : `, with ${count(redirects)} redirects`
}
