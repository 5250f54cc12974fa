import type { Client } from '@masthead/client/client.ts'
import { createContext, useContext } from 'react'

export const ClientContext = createContext<Client | null>(null)

/** The API, called in the account of the current page. */
export function useClient(): Client {
  const client = useContext(ClientContext)
  if (client === null) throw new Error('useClient needs an <AccountScope> around it')
  return client
}
