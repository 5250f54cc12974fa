import type { Client } from '@masthead/client/client.ts'
import { LostAnswerError } from '@masthead/client/errors.ts'
import { listAll } from '@masthead/client/paginate.ts'
import type { EndedMembership, Member } from '@masthead/contract/schemas/people.ts'
import { allowsLess, type Role, roleNames, roles } from '@masthead/contract/scopes.ts'
import { canonicalEmail } from '@masthead/contract/text/email-address.ts'
import { type CommandResult, command } from '../../arguments/command.ts'
import { type RunVerb, runVerb } from '../../arguments/verbs.ts'
import type { CommandContext } from '../../context.ts'
import { CommandError, usageError } from '../../errors/command-error.ts'
import { confirm } from '../../terminal/ask.ts'
import { formatCount } from '../../terminal/format.ts'
import { alignColumns, sanitize } from '../../terminal/layout.ts'

const keyOptions = {
  'keep-keys': { type: 'boolean', help: 'role, remove: keep the keys, pipelines and webhooks of the member' },
} as const

interface MemberValues {
  readonly 'keep-keys'?: boolean
}

const memberVerbs: Record<string, RunVerb<MemberValues>> = {
  list: { takes: [], run: listMembers },
  role: { takes: ['EMAIL', 'ROLE'], options: ['keep-keys'], run: changeRole },
  remove: { takes: ['EMAIL'], options: ['keep-keys'], run: removeMember },
}

export const members = command({
  name: 'members',
  summary: 'List the members of the account, change roles, remove members',
  usage: ['members', 'members role EMAIL ROLE [--keep-keys]', 'members remove EMAIL [--keep-keys]'],
  about: [
    ['Roles:', ...alignColumns(roleNames.map((role) => [`  ${role}`, roles[role].scopes.join(', ')]))].join(
      '\n',
    ),
  ],
  options: keyOptions,
  examples: [
    ['masthead members', 'who belongs to the account'],
    ['masthead members role ada@example.com developer', 'change what Ada can do'],
    ['masthead members remove ada@example.com', 'remove Ada, with her keys, pipelines and webhooks'],
  ],
  words: 3,
  run: (context, values, words) =>
    runVerb({ command: 'members', options: keyOptions, verbs: memberVerbs }, context, values, words),
})

async function listMembers(context: CommandContext): Promise<CommandResult> {
  const found = await allMembers(context, await context.signedIn())
  const rows = found.map(({ person, role, joinedAt }) => [
    context.out.style('bold', person.email),
    sanitize(person.name),
    role,
    `since ${joinedAt.slice(0, 10)}`,
  ])
  return { document: found, text: alignColumns(rows).join('\n') }
}

async function changeRole(
  context: CommandContext,
  [email = '', word = '']: readonly string[],
  values: MemberValues,
): Promise<CommandResult> {
  const role = parseRole(word)
  const client = await context.signedIn()
  const member = await memberOf(context, client, email)
  const keys = values['keep-keys'] ? 'keep' : 'revoke'
  if (allowsLess(role, member.role) && !(await confirm(lowerRoleQuestion(member, role, keys), context))) {
    throw new CommandError('kept', 'The role was not changed.', '')
  }
  const params = { person: member.person.id }
  const changed = await client.changeMember({ params, body: { role, keys }, signal: context.signal })
  context.out.note(`${changed.person.email} is now ${role}${endedNote(changed)}.`)
  return { document: changed, text: '' }
}

/** What ends with it cannot be restored. */
function lowerRoleQuestion({ person, role: before }: Member, role: Role, keys: 'keep' | 'revoke'): string {
  const lost = before === 'owner' ? 'manage this account' : 'publish or change domains'
  return [
    `${person.email} will no longer be able to ${lost}.`,
    ...(keys === 'keep'
      ? []
      : [
          `API keys they created that can do more than a ${role} and invitations they sent are revoked,`,
          'and pipelines they trusted and webhooks they added are removed.',
        ]),
    `Make them a ${role}?`,
  ].join(' ')
}

async function removeMember(
  context: CommandContext,
  [email = '']: readonly string[],
  values: MemberValues,
): Promise<CommandResult> {
  const client = await context.signedIn()
  const { person } = await memberOf(context, client, email)
  if (!(await confirm(`Remove ${email} from the account?`, context))) {
    throw new CommandError('kept', 'Nobody was removed.', '')
  }
  const query = { keys: values['keep-keys'] ? ('keep' as const) : ('revoke' as const) }
  const request = { params: { person: person.id }, query, signal: context.signal }
  const ended = await client.removeMember(request).catch((error: unknown) => {
    if (!(error instanceof LostAnswerError)) throw error
    return null
  })
  if (ended === null) {
    context.out.note(`Removed ${email}.`)
    return { document: { removed: email }, text: '' }
  }
  context.out.note(`Removed ${email}${endedNote(ended)}.`)
  return { document: { removed: email, ...ended }, text: '' }
}

/** ", and 2 keys revoked, 1 pipeline removed". */
function endedNote({ revokedKeys, removedPublishers, removedWebhooks }: EndedMembership): string {
  const parts = [
    { ended: revokedKeys, noun: 'key', how: 'revoked' },
    { ended: removedPublishers, noun: 'pipeline', how: 'removed' },
    { ended: removedWebhooks, noun: 'webhook', how: 'removed' },
  ].filter(({ ended }) => ended.length > 0)
  if (parts.length === 0) return ''
  return `, and ${parts.map(({ ended, noun, how }) => `${formatCount(ended.length, noun)} ${how}`).join(', ')}`
}

function allMembers({ signal }: CommandContext, client: Client): Promise<Member[]> {
  return listAll(client.listMembers, { query: { limit: 100 }, signal })
}

async function memberOf(context: CommandContext, client: Client, email: string): Promise<Member> {
  const kept = canonicalEmail(email)
  const found = (await allMembers(context, client)).find(
    ({ person }) => person.email === kept || person.id === email,
  )
  if (found) return found
  throw new CommandError('not_found', `${email} is not a member.`, 'Run `masthead members` to list them.')
}

export function parseRole(word: string): Role {
  const role = roleNames.find((name) => name === word)
  if (role) return role
  throw usageError(`"${word}" is not a role.`, `Roles are ${roleNames.join(', ')}.`)
}
