import { listAll } from '@masthead/client/paginate.ts'
import { type EventType, eventTypes } from '@masthead/contract/events.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Delivery, Webhook } from '@masthead/contract/schemas/webhook.ts'
import { closestMatch } from '@masthead/contract/text/closest-match.ts'
import {
  disabledReasons,
  type WebhookFormat,
  webhookFormatNames,
} from '@masthead/contract/webhooks/webhooks.ts'
import { type CommandResult, command, type Options } from '../../arguments/command.ts'
import { type RunVerb, runVerb } from '../../arguments/verbs.ts'
import type { CommandContext } from '../../context.ts'
import { CommandError, usageError } from '../../errors/command-error.ts'
import { confirm } from '../../terminal/ask.ts'
import { formatDuration, timeAgo } from '../../terminal/format.ts'
import { alignColumns } from '../../terminal/layout.ts'
import { readTarget } from '../../webhooks/forward.ts'
import { listen } from '../../webhooks/listen.ts'

const options = {
  events: { type: 'string', value: 'TYPES', help: 'event types to send, separated by commas (default: all)' },
  format: { type: 'string', value: 'FORMAT', help: `${webhookFormatNames.join(', ')} (default: standard)` },
  forward: {
    type: 'string',
    value: 'URL',
    help: 'where `listen` sends events, such as http://127.0.0.1:3000/hook (default: only print them)',
  },
} as const satisfies Options

interface WebhookValues {
  readonly events?: string
  readonly format?: string
  readonly forward?: string
  readonly project?: string
}

const verbs: Record<string, RunVerb<WebhookValues>> = {
  list: { takes: [], run: list },
  add: { takes: ['URL'], options: ['events', 'format'], run: add },
  listen: { takes: [], options: ['events', 'forward'], run: listenHere },
  test: { takes: ['ID'], run: sendTest },
  deliveries: { takes: ['ID'], run: listDeliveries },
  resend: { takes: ['ID', 'DELIVERY'], run: resend },
  rotate: { takes: ['ID'], run: rotate },
  pause: { takes: ['ID'], run: (context, words) => setEnabled(context, words, false) },
  enable: { takes: ['ID'], run: (context, words) => setEnabled(context, words, true) },
  remove: { takes: ['ID'], run: remove },
}

export const webhooks = command({
  name: 'webhooks',
  summary: 'Send events to your own programs',
  usage: [
    'webhooks',
    'webhooks add URL [--events TYPES] [--format FORMAT]',
    'webhooks listen [--forward URL] [--events TYPES]',
    ...Object.entries(verbs)
      .slice(3)
      .map(([name, { takes }]) => ['webhooks', name, ...takes].join(' ')),
  ],
  about: [
    'A webhook sends the events of the account to an address as they happen, signed with a secret that is shown\nonce. `deliveries` lists what was sent and how the endpoint answered.',
    '`listen` forwards new events to a program on this machine, signed as well, until you press Ctrl-C. The server\ndoes not have to reach this machine. --project SLUG leaves out other projects.',
  ],
  options,
  examples: [
    ['masthead webhooks add https://example.com/hook', 'every event'],
    ['masthead webhooks add https://hooks.slack.com/services/… --format slack', 'messages to a channel'],
    ['masthead webhooks listen --forward http://127.0.0.1:3000/hook', 'try a receiver on this machine'],
    ['masthead webhooks test whk_06d8f2k4m9q1s7x3b5n0', 'send a test'],
  ],
  words: 3,
  run: (context, values, words) => runVerb({ command: 'webhooks', options, verbs }, context, values, words),
})

async function list(context: CommandContext): Promise<CommandResult> {
  const { out, signal } = context
  const client = await context.signedIn()
  const found = await listAll(client.listWebhooks, { query: { limit: 100 }, signal })
  if (found.length === 0) out.note('No webhooks yet. Add one with `masthead webhooks add URL`.')
  const now = Date.now()
  const rows = found.map((webhook) => [
    webhook.id,
    out.style('bold', webhook.url),
    webhook.events === null ? 'all events' : webhook.events.join(', '),
    stateOf(webhook, context),
    webhook.deliveredAt ? `delivered ${timeAgo(webhook.deliveredAt, now)}` : 'nothing delivered yet',
  ])
  return { document: found, text: alignColumns(rows).join('\n') }
}

function stateOf({ state, disabledReason }: Webhook, { out }: CommandContext): string {
  if (state === 'active') return out.style('green', state)
  const why = disabledReason === null ? '' : `: ${disabledReasons[disabledReason].toLowerCase()}`
  return out.style(state === 'failing' ? 'yellow' : 'red', `${state}${why}`)
}

async function add(
  context: CommandContext,
  [url = '']: readonly string[],
  values: WebhookValues,
): Promise<CommandResult> {
  const body = { url, events: readEvents(values.events), format: readFormat(values.format) }
  const client = await context.signedIn()
  const created = await client.createWebhook({ body, signal: context.signal })
  context.out.note(`Added ${created.id}. Its signing secret is shown only once:`)
  return { document: created, text: created.secret }
}

function listenHere(
  context: CommandContext,
  _words: readonly string[],
  { events, forward, project }: WebhookValues,
): Promise<CommandResult> {
  const target = forward === undefined ? null : readTarget(forward)
  return listen(context, { target, types: readEvents(events), project })
}

function readEvents(text: string | undefined): EventType[] | null {
  if (text === undefined) return null
  return text.split(',').map((word) => {
    const name = word.trim()
    const type = eventTypes.find((known) => known === name)
    if (type !== undefined) return type
    const meant = closestMatch(name, eventTypes)
    throw usageError(
      `There is no event "${name}".`,
      meant ? `Did you mean ${meant}?` : 'docs/events.md has all of them.',
    )
  })
}

function readFormat(text: string | undefined): WebhookFormat {
  const format = webhookFormatNames.find((known) => known === (text ?? 'standard'))
  if (format !== undefined) return format
  throw usageError(`There is no format "${text}".`, `Use ${webhookFormatNames.join(', ')}.`)
}

async function sendTest(context: CommandContext, words: readonly string[]): Promise<CommandResult> {
  const webhook = webhookId(words)
  const client = await context.signedIn()
  const sent = await client.testWebhook({ params: { webhook }, signal: context.signal })
  context.out.note(`Sent. \`masthead webhooks deliveries ${webhook}\` shows the answer.`)
  return { document: sent, text: '' }
}

async function listDeliveries(context: CommandContext, words: readonly string[]): Promise<CommandResult> {
  const webhook = webhookId(words)
  const client = await context.signedIn()
  const { items } = await client.listDeliveries({
    params: { webhook },
    query: { limit: 50 },
    signal: context.signal,
  })
  if (items.length === 0) context.out.note('Nothing was sent yet.')
  const now = Date.now()
  const rows = items.map((delivery) => [
    delivery.id,
    delivery.type,
    stateStyle(delivery, context),
    lastAnswer(delivery),
    timeAgo(delivery.createdAt, now),
  ])
  return { document: items, text: alignColumns(rows).join('\n') }
}

function stateStyle({ state }: Delivery, { out }: CommandContext): string {
  return out.style(state === 'delivered' ? 'green' : state === 'failed' ? 'red' : 'yellow', state)
}

function lastAnswer({ attempts, attemptCount }: Delivery): string {
  const last = attempts.at(-1)
  if (last === undefined) return ''
  const answer = last.status === null ? (last.error ?? '') : `${last.status} in ${formatDuration(last.ms)}`
  return attemptCount > 1 ? `${answer}, attempt ${attemptCount}` : answer
}

async function resend(context: CommandContext, words: readonly string[]): Promise<CommandResult> {
  const webhook = webhookId(words)
  const delivery = idOf('delivery', 'dlv', words[1], `masthead webhooks deliveries ${webhook}`)
  const client = await context.signedIn()
  const sent = await client.resendDelivery({ params: { webhook, delivery }, signal: context.signal })
  context.out.note(`Sent again. \`masthead webhooks deliveries ${webhook}\` shows the answer.`)
  return { document: sent, text: '' }
}

async function rotate(context: CommandContext, words: readonly string[]): Promise<CommandResult> {
  const webhook = webhookId(words)
  const client = await context.signedIn()
  const rotated = await client.rotateWebhookSecret({ params: { webhook }, signal: context.signal })
  const until = rotated.previousSecretUntil?.slice(0, 16).replace('T', ' ')
  context.out.note(`The new secret is shown only once. Until ${until} UTC the previous one signs too.`)
  return { document: rotated, text: rotated.secret }
}

async function setEnabled(
  context: CommandContext,
  words: readonly string[],
  enabled: boolean,
): Promise<CommandResult> {
  const webhook = webhookId(words)
  const client = await context.signedIn()
  const changed = await client.changeWebhook({
    params: { webhook },
    body: { enabled },
    signal: context.signal,
  })
  const undo = `\`masthead webhooks ${enabled ? 'pause' : 'enable'} ${webhook}\``
  context.out.note(
    enabled
      ? `Enabled ${webhook}.`
      : `Paused ${webhook}. Events are not kept for it; ${undo} ends the pause.`,
  )
  return { document: changed, text: '' }
}

async function remove(context: CommandContext, words: readonly string[]): Promise<CommandResult> {
  const webhook = webhookId(words)
  const client = await context.signedIn()
  const question = `Remove ${webhook}? Events that were not sent yet are dropped.`
  if (!(await confirm(question, context))) throw new CommandError('kept', 'The webhook was not removed.', '')
  await client.removeWebhook({ params: { webhook }, signal: context.signal })
  context.out.note(`Removed ${webhook}.`)
  return { document: { removed: webhook }, text: '' }
}

function webhookId([word]: readonly string[]): Id<'webhook'> {
  return idOf('webhook', 'whk', word, 'masthead webhooks')
}

function idOf<Kind extends 'webhook' | 'delivery'>(
  kind: Kind,
  prefix: string,
  word: string | undefined,
  listing: string,
): Id<Kind> {
  if (word !== undefined && new RegExp(`^${prefix}_[a-z0-9]+$`).test(word)) return word as Id<Kind>
  throw usageError(`"${word}" is not the ID of a ${kind}.`, `Run \`${listing}\` to list the IDs.`)
}
