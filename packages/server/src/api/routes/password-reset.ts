import type { PasswordReset } from '@masthead/contract/schemas/people.ts'
import type { Addresses } from '../../addresses.ts'
import { isoTime } from '../../clock.ts'
import type { CreatedReset } from '../../people/create-password-reset.ts'

export function toPasswordReset(
  { email, token, expiresAt }: CreatedReset,
  addresses: Pick<Addresses, 'dashboard'>,
): PasswordReset {
  return { email, url: `${addresses.dashboard}/reset-password#${token}`, expiresAt: isoTime(expiresAt) }
}
