import { randomBytes } from 'node:crypto'
import type { Context, Tx } from '../../database/database.ts'
import { hour } from '../../kernel/clock.ts'
import { putChallenges } from './challenge-store.ts'

/** No name can have a space, so no certificate is ever ordered for it. */
const name = 'reachability check'

export interface ReachabilityToken {
  token: string
  content: string
}

/**
 * Every edge of this installation answers the token like a challenge of a CA, at `/.well-known/acme-challenge/{token}`
 * of any host. Nobody else can, so the answer proves that it came from here.
 */
export async function withReachabilityToken<T>(
  { database, now }: Context,
  work: (token: ReachabilityToken) => Promise<T>,
): Promise<T> {
  const token = `masthead-${randomBytes(24).toString('base64url')}`
  const content = randomBytes(24).toString('base64url')
  // An hour, because the clocks of this process and of an edge may differ.
  await database.write(async (tx) => {
    await removeTokens(tx, null, now())
    const row = {
      token,
      name,
      kind: 'http-01',
      key_authorization: content,
      expires_at: now() + hour,
      label: null,
    } as const
    await putChallenges(tx, [row])
  })
  try {
    return await work({ token, content })
  } finally {
    await database.write((tx) => removeTokens(tx, token, now()))
  }
}

/** Also those of checks that were killed. */
async function removeTokens(tx: Tx, token: string | null, now: number): Promise<void> {
  await tx
    .deleteFrom('acme_challenges')
    .where('name', '=', name)
    .where((e) => e.or([e('expires_at', '<=', now), e('token', '=', token ?? '')]))
    .execute()
}
