import { createAccount } from '../accounts/account-lifecycle.ts'
import type { Database } from '../database/database.ts'
import { type Change, openChangeFeed } from '../events/change-feed.ts'
import { createProject, type ProjectContext } from './create-project.ts'

export const by = { kind: 'key', id: 'key_1', name: 'The test' } as const

/** An account in a real database, with a clock that the test sets. */
export async function startProjects(database: Database) {
  const clock = { at: Date.UTC(2030, 0, 1) }
  const now = () => clock.at
  const changes = await openChangeFeed({ database, now }, { warn: () => {} })
  /** The changes that an edge would see. */
  const heard: (Change | null)[] = []
  changes.subscribe((change) => change?.kind !== 'account' && heard.push(change))
  const context: ProjectContext = { database, now, changes }
  const addAccount = () =>
    database.write((tx) => createAccount(tx, { name: 'Team', plan: 'free', by, at: now() }))
  const account = await addAccount()
  const create = (slug: string, accountId = account.id) =>
    createProject(context, { slug, accountId, by, htmlHandling: 'auto', singlePage: false })
  return {
    context,
    clock,
    heard,
    account,
    addAccount,
    create,
    [Symbol.dispose]: () => changes.close(),
  }
}
