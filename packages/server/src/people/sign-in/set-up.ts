import type { Id } from '@masthead/contract/schemas/fields.ts'
import { renameAccountIn } from '../../accounts/change-account.ts'
import { type Context, type KeepResult, lock } from '../../database/database.ts'
import { recordEvent } from '../../events/record-event.ts'
import { Problem } from '../../kernel/problem.ts'
import { hashSecret, newToken } from '../../kernel/tokens.ts'
import { createPerson, operatorsLock } from '../create-person.ts'
import { consumeSetupLink, findSetupLink, replaceSetupLinks } from '../link-store.ts'
import { hashNewPassword } from '../password-rules.ts'
import { personAsActor } from '../person.ts'
import { hasOperator, insertMember } from '../store.ts'
import { type Device, openSessionOnDevice } from './known-devices.ts'
import type { OpenedSession } from './session.ts'

export async function isSetUp({ database }: Context): Promise<boolean> {
  return hasOperator(database.read)
}

/** Creates the secret of the one-time setup link, replacing an unused one. Null if there is an operator already. */
export async function newSetupToken(
  { database, now }: Context,
  accountId: Id<'account'>,
): Promise<string | null> {
  const token = newToken()
  return database.write(async (tx) => {
    await lock(database, tx, operatorsLock)
    if (await hasOperator(tx)) return null
    await replaceSetupLinks(tx, { token_hash: hashSecret(token), account_id: accountId, created_at: now() })
    return token
  })
}

export interface SetUpInput {
  token: string
  name: string
  email: string
  password: string
  accountName?: string | undefined
  /** The platform's domain, which must not be the password. */
  serverName: string
  device: Device
}

/** Creates the first person: owner of the first account, and operator of the server. */
export async function setUp(
  { database, now }: Context,
  input: SetUpInput,
  keep: KeepResult<OpenedSession>,
): Promise<OpenedSession> {
  const tokenHash = hashSecret(input.token)
  // Checked before the slow hash, so that strangers cannot make us hash for nothing.
  if ((await findSetupLink(database.read, tokenHash)) === undefined) throw linkUsed()
  const about = [input.name, input.email, input.accountName ?? '', input.serverName]
  const passwordHash = await hashNewPassword(input.password, about)
  return database.write(async (tx) => {
    const at = now()
    await lock(database, tx, operatorsLock)
    const link = await consumeSetupLink(tx, tokenHash)
    if (link === undefined || (await hasOperator(tx))) throw linkUsed()
    const person = await createPerson(database, tx, { ...input, passwordHash, operator: true, at })
    const by = personAsActor(person)
    const accountId = link.account_id
    await insertMember(tx, { account_id: accountId, person_id: person.id, role: 'owner', joined_at: at })
    await recordEvent(tx, {
      accountId,
      type: 'member.joined',
      by,
      at,
      data: { email: person.email, role: 'owner' },
    })
    if (input.accountName !== undefined)
      await renameAccountIn(tx, { accountId, name: input.accountName, by, at })
    const opened = await openSessionOnDevice(tx, { person, accountId, device: input.device, at })
    await keep(tx, opened)
    return opened
  })
}

function linkUsed(): Problem {
  return new Problem(
    'link_invalid',
    'This setup link was used already, or replaced by a newer one. The server prints a new one when it restarts.',
  )
}
