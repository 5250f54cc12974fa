import { createAccount } from '../../accounts/account-lifecycle.ts'
import type { Context, KeepResult } from '../../database/database.ts'
import { recordEvent } from '../../events/record-event.ts'
import { createPerson } from '../create-person.ts'
import { hashNewPassword } from '../password-rules.ts'
import { personAsActor } from '../person.ts'
import { insertMember } from '../store.ts'
import { countAttempt } from './attempts.ts'
import { type Device, openSessionOnDevice } from './known-devices.ts'
import type { OpenedSession } from './session.ts'

export interface SignUpInput {
  name: string
  email: string
  password: string
  accountName?: string | undefined
  device: Device
  /** The platform's domain, which must not be the password. */
  serverName: string
}

/** Creates a person with their own account. The caller checks whether sign-up is open. */
export async function signUp(
  context: Context,
  input: SignUpInput,
  keep: KeepResult<OpenedSession>,
): Promise<OpenedSession> {
  await countAttempt(context, [{ kind: 'address', value: input.device.network }])
  const about = [input.name, input.email, input.accountName ?? '', input.serverName]
  const passwordHash = await hashNewPassword(input.password, about)
  return context.database.write(async (tx) => {
    const at = context.now()
    const person = await createPerson(context.database, tx, { ...input, passwordHash, operator: false, at })
    const by = personAsActor(person)
    const name = input.accountName ?? `${input.name}’s projects`
    const account = await createAccount(tx, { name, plan: 'free', by, at })
    await insertMember(tx, { account_id: account.id, person_id: person.id, role: 'owner', joined_at: at })
    const data = { email: person.email, role: 'owner' }
    await recordEvent(tx, { accountId: account.id, type: 'member.joined', by, at, data })
    const opened = await openSessionOnDevice(tx, { person, accountId: account.id, device: input.device, at })
    await keep(tx, opened)
    return opened
  })
}
