import { listAll } from '@masthead/client/paginate.ts'
import { canonicalEmail } from '@masthead/contract/text/email-address.ts'
import { type CommandResult, command } from '../../arguments/command.ts'
import type { CommandContext } from '../../context.ts'
import { CommandError, usageError } from '../../errors/command-error.ts'
import { alignColumns, sanitize } from '../../terminal/layout.ts'
import { parseRole } from './members.ts'

export const invite = command({
  name: 'invite',
  summary: 'Invite people to the account',
  usage: ['invite', 'invite EMAIL [--role ROLE]', 'invite revoke EMAIL'],
  about: ['Prints the link to send to the person, once. Without an address, it lists the open invitations.'],
  options: {
    role: { type: 'string', value: 'ROLE', help: 'owner, developer (default) or viewer' },
  },
  examples: [
    ['masthead invite ada@example.com', 'as a developer'],
    ['masthead invite ada@example.com --role viewer', 'to look, not to change'],
    ['masthead invite revoke ada@example.com', 'the link stops working'],
  ],
  words: 2,
  async run(context, { role = 'developer' }, [word, address]) {
    if (word === undefined) return list(context)
    if (word === 'revoke') return revoke(context, address)
    if (address !== undefined) {
      throw usageError(`Unexpected argument "${address}".`, 'Use `masthead invite EMAIL --role ROLE`.')
    }
    const body = { email: word, role: parseRole(role) }
    const client = await context.signedIn()
    const created = await client.createInvitation({ body, signal: context.signal })
    context.out.note(
      `Send this link to ${created.email}. It is shown only once, and works until ${created.expiresAt.slice(0, 10)}:`,
    )
    return { document: created, text: created.url }
  },
})

async function open(context: CommandContext) {
  const client = await context.signedIn()
  const found = await listAll(client.listInvitations, { query: { limit: 100 }, signal: context.signal })
  return { client, found }
}

async function list(context: CommandContext): Promise<CommandResult> {
  const { found } = await open(context)
  if (found.length === 0)
    context.out.note('No open invitations. Invite somebody with `masthead invite EMAIL`.')
  const rows = found.map(({ email, role, invitedBy, expiresAt }) => [
    context.out.style('bold', sanitize(email)),
    role,
    `by ${sanitize(invitedBy)}`,
    `until ${expiresAt.slice(0, 10)}`,
  ])
  return { document: found, text: alignColumns(rows).join('\n') }
}

async function revoke(context: CommandContext, address: string | undefined): Promise<CommandResult> {
  if (address === undefined) throw usageError('EMAIL is missing.', 'Use `masthead invite revoke EMAIL`.')
  const { client, found } = await open(context)
  const own = found.filter(({ id, email }) => id === address || email === canonicalEmail(address))
  if (own.length === 0) {
    const message = `There is no open invitation for ${address}.`
    throw new CommandError('not_found', message, 'Run `masthead invite` to list them.')
  }
  for (const { id } of own)
    await client.revokeInvitation({ params: { invitation: id }, signal: context.signal })
  context.out.note(`Revoked the invitation of ${address}.`)
  return { document: { revoked: own.map(({ id }) => id) }, text: '' }
}
