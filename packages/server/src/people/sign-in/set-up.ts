import type { Id } from '@masthead/contract/schemas/fields.ts'
import { renameAccountIn } from '../../accounts/change-account.ts'
import { type Context, lock } from '../../database/database.ts'
import { recordEvent } from '../../events/record-event.ts'
import { Problem } from '../../kernel/problem.ts'
import { hashSecret, newToken } from '../../kernel/tokens.ts'
import { createPerson } from '../create-person.ts'
import { consumeSetupLink, findSetupLink, replaceSetupLinks } from '../link-store.ts'
import { hashNewPassword } from '../password-rules.ts'
import { personAsActor } from '../person.ts'
import { anyOperator, insertMember } from '../store.ts'
import { type Device, openSessionOnDevice } from './known-devices.ts'
import type { OpenedSession } from './session.ts'

/** The name of the lock under which first links are made and used: there is never a second operator by one. */
const firstLink = 'first link'

export async function isSetUp({ database }: Context): Promise<boolean> {
  return anyOperator(database.read)
}

/** Makes the one-time link's secret, or null when there is an operator already. An older unused link ends. */
export async function newSetupToken(
  { database, now }: Context,
  accountId: Id<'account'>,
): Promise<string | null> {
  const token = newToken()
  return database.write(async (tx) => {
    await lock(database, tx, firstLink)
    if (await anyOperator(tx)) return null
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
  /** The platform's domain: no password either. */
  serverName: string
  place: Device
}

/** Makes the first person: owner of the first account, and operator of the server. */
export async function setUp({ database, now }: Context, input: SetUpInput): Promise<OpenedSession> {
  const tokenHash = hashSecret(input.token)
  // Before the slow hash, which a stranger without the link must not get.
  if ((await findSetupLink(database.read, tokenHash)) === undefined) throw linkUsed()
  const about = [input.name, input.email, input.accountName ?? '', input.serverName]
  const passwordHash = await hashNewPassword(input.password, about)
  return database.write(async (tx) => {
    const at = now()
    await lock(database, tx, firstLink)
    const link = await consumeSetupLink(tx, tokenHash)
    if (link === undefined || (await anyOperator(tx))) throw linkUsed()
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
    return openSessionOnDevice(tx, { person, accountId, place: input.place, at })
  })
}

function linkUsed(): Problem {
  return new Problem('link_invalid', 'This first link was used already, or a newer one was printed.')
}
