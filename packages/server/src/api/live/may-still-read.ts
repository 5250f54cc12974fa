import type { AccountActor } from '../../accounts/actor.ts'
import type { Context } from '../../database/context.ts'
import { findKeyActor } from '../../keys/find-key-actor.ts'
import { findSessionActor } from '../../people/session.ts'

/**
 * Whether the key or the session that opened a stream would be let in again. A session is only looked at: the browser
 * could not be told that it was prolonged.
 */
export async function mayStillRead(context: Context, actor: AccountActor, secret: string): Promise<boolean> {
  const current =
    actor.kind === 'key'
      ? await findKeyActor(context, secret)
      : await findSessionActor(context, secret, { accountId: actor.account.id, isUse: false })
  const account = current?.account
  return (
    account?.id === actor.account.id &&
    account.suspended_at === null &&
    current?.scopes.includes('read') === true
  )
}
