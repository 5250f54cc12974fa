import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient } from '@masthead/client/client.ts'
import type { Id } from '@masthead/contract/ids.ts'
import type { PlanName } from '@masthead/contract/plans.ts'
import type { MastheadProcess } from '@masthead/testing/masthead-process.ts'

export interface NewAccount {
  id: Id<'account'>
  key: { id: Id<'key'>; secret: string }
}

export async function operatorOf({ origin, dataFolder }: MastheadProcess): Promise<Client> {
  const key = (await readFile(join(dataFolder, 'operator.key'), 'utf8')).trim()
  return createClient({ server: origin, key })
}

/** An account of its own, made by the operator, and its first key. */
export async function newAccount(masthead: MastheadProcess, plan: PlanName): Promise<NewAccount> {
  const operator = await operatorOf(masthead)
  const { account, key } = await operator.createAccount({ body: { name: 'Journey', plan } })
  return { id: account.id, key }
}
