import type { Identity } from '@masthead/contract/schemas/people.ts'

/** "ada@example.com, My team", or what else there is to tell. */
export function describeIdentity({ kind, person, key, account }: Identity): string {
  const who =
    person?.email ?? (key ? `the key "${key.name}"` : kind === 'operator' ? 'the operator' : 'somebody')
  return account ? `${who}, ${account.name}` : who
}
