import type { Sends } from '@masthead/contract/routes.ts'

/** What the fields about a new person hold, as the API takes it. */
export function newPerson(values: Record<string, string>): Sends<'signUp', 'body'> {
  const { name = '', email = '', password = '', accountName = '' } = values
  return { name, email, password, accountName }
}
