import { listAll } from '@masthead/client/paginate.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { type Scope, scopeNames, scopes } from '@masthead/contract/scopes.ts'
import { type CommandResult, command } from '../../arguments/command.ts'
import { unknownVerb } from '../../arguments/verbs.ts'
import type { CommandContext } from '../../context.ts'
import { CommandError, usageError } from '../../errors/command-error.ts'
import { confirm } from '../../terminal/ask.ts'
import { timeAgo } from '../../terminal/format.ts'
import { alignColumns } from '../../terminal/layout.ts'

const daysIn: Record<string, number> = { h: 1 / 24, d: 1, w: 7, y: 365 }

/** `90d`, `12h`, `4w`, `1y` from now, or a date such as 2027-01-31. */
export function parseExpiry(text: string, now: number): string {
  const [, amount, unit = ''] = /^(\d{1,4})([hdwy])$/.exec(text) ?? []
  const days = daysIn[unit]
  const at = days === undefined ? dateOf(text) : now + Number(amount) * days * 86_400_000
  if (at > now && at < Date.UTC(10_000, 0)) return new Date(at).toISOString()
  throw usageError(
    `--expires ${text} is not in the future.`,
    'Use 90d, 12h, 4w, 1y or a date such as 2027-01-31.',
  )
}

function dateOf(text: string): number {
  return /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN
}

export const keys = command({
  name: 'keys',
  summary: 'List, create and revoke API keys',
  usage: ['keys', 'keys create NAME [--scope SCOPE]… [--expires WHEN] [--project SLUG]', 'keys revoke ID'],
  about: [
    [
      'Scopes limit what a key can do:',
      ...alignColumns(Object.entries(scopes).map(([s, what]) => [`  ${s}`, what])),
    ].join('\n'),
  ],
  options: {
    scope: {
      type: 'string',
      multiple: true,
      value: 'SCOPE',
      help: 'what the key can do (default: read, deploy, domains)',
    },
    expires: { type: 'string', value: 'WHEN', help: '90d, 12h, 4w, 1y or a date (default: never)' },
  },
  examples: [
    ['masthead keys', 'the keys of the account'],
    ['masthead keys create ci --scope read,deploy --expires 90d', 'create a key and print its secret once'],
    ['masthead keys create site --project my-site', 'a key that can only use one project'],
    ['masthead keys revoke key_06d8f2k4m9q1s7x3b5n0', 'revoke a key immediately'],
  ],
  words: 2,
  async run(context, values, [verb = 'list', word]) {
    const action = Object.hasOwn(actions, verb) ? actions[verb] : undefined
    if (action === undefined) throw unknownVerb({ command: 'keys', verbs: actions }, verb)
    return action(context, word, values)
  },
})

interface KeyValues {
  readonly project?: string
  readonly scope?: string[]
  readonly expires?: string
}

type Action = (context: CommandContext, word: string | undefined, values: KeyValues) => Promise<CommandResult>

const actions: Record<string, Action> = { list: listKeys, create: createKey, revoke: revokeKey }

async function listKeys(context: CommandContext): Promise<CommandResult> {
  const { out, signal } = context
  const client = await context.signedIn()
  const found = await listAll(client.listKeys, { query: { limit: 100 }, signal })
  if (found.length === 0) out.note('No keys yet. Create one with `masthead keys create NAME`.')
  const now = Date.now()
  const rows = found.map(({ id, name, hint, scopes, project, createdBy, expiresAt, lastUsedAt }) => [
    id,
    out.style('bold', name),
    `…${hint}`,
    scopes.join(', '),
    project ? `only ${project.slug}` : 'all projects',
    lastUsedAt ? `used ${timeAgo(lastUsedAt, now)}` : 'never used',
    expiresAt ? `expires ${expiresAt.slice(0, 10)}` : 'never expires',
    createdBy ? `by ${createdBy.name}` : '',
  ])
  return { document: found, text: alignColumns(rows).join('\n') }
}

async function createKey(
  context: CommandContext,
  name: string | undefined,
  values: KeyValues,
): Promise<CommandResult> {
  if (name === undefined) throw usageError('The new key needs a name.', 'Use `masthead keys create NAME`.')
  const chosen = values.scope?.flatMap((text) => text.split(',')).map(scopeOf)
  const body = {
    name,
    ...(chosen === undefined ? {} : { scopes: chosen }),
    ...(values.project === undefined ? {} : { project: values.project }),
    ...(values.expires === undefined ? {} : { expiresAt: parseExpiry(values.expires, Date.now()) }),
  }
  const client = await context.signedIn()
  const key = await client.createKey({ body, signal: context.signal })
  context.out.note(`Created the key "${key.name}" (${key.id}). Its secret is shown only once:`)
  return { document: key, text: key.secret }
}

async function revokeKey(context: CommandContext, id: string | undefined): Promise<CommandResult> {
  if (!id || !/^key_[a-z0-9]+$/.test(id)) {
    throw usageError(
      id ? `"${id}" is not a key ID.` : 'The key ID is missing.',
      'Run `masthead keys` to list the IDs.',
    )
  }
  const client = await context.signedIn()
  const question = `Revoke ${id}? Anything that uses it stops working immediately.`
  if (!(await confirm(question, context))) throw new CommandError('kept', 'The key was not revoked.', '')
  // If the answer is lost, a key that worked before has revoked itself, and any other has done nothing.
  await client.getWhoami({ signal: context.signal })
  await client.revokeKey({ params: { key: id as Id<'key'> }, signal: context.signal })
  context.out.note(`Revoked ${id}.`)
  return { document: { revoked: id }, text: '' }
}

function scopeOf(text: string): Scope {
  const scope = scopeNames.find((name) => name === text)
  if (scope) return scope
  throw usageError(`Unknown scope "${text}".`, `Scopes are ${scopeNames.join(', ')}.`)
}
