import type { CreatedKey } from '@masthead/contract/schemas/key.ts'
import type { DashboardVisit } from '@masthead/testing/dashboard-visit.ts'

/** A key of the account whose client does not wait when it is told to, until it is banned. */
export async function getBanned({ masthead, call }: DashboardVisit, name: string): Promise<CreatedKey> {
  const key = await call<CreatedKey>('POST /v1/keys', { name, scopes: ['read'] })
  const ask = async () => {
    const response = await fetch(`${masthead.origin}/v1/whoami`, {
      headers: { authorization: `Bearer ${key.secret}` },
    })
    const { code } = (await response.json()) as { code?: string }
    return code
  }
  for (let asked = 0; (await ask()) !== 'key_banned'; asked++) {
    if (asked === 20_000) throw new Error(`${name} was never banned`)
  }
  return key
}
