import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Tx } from '../database/database.ts'

/** In the order in which they are recorded: a process that hears of a changed account must not be let in by an old key. */
const notedKinds = ['access', 'account'] as const

type NotedKind = (typeof notedKinds)[number]

const noted = new WeakMap<Tx, Record<NotedKind, Set<string>>>()

/**
 * Notes a change that the feed records once, at the end of the transaction. `account`: members may be looking at
 * something that changed. `access`: what a key, a session or a role permits has changed, or the account or person it
 * belongs to.
 */
export function noteChange(tx: Tx, kind: 'account', id: Id<'account'>): void
export function noteChange(tx: Tx, kind: 'access', id: Id<'account'> | Id<'person'>): void
export function noteChange(tx: Tx, kind: NotedKind, id: string): void {
  const before = noted.get(tx)
  const changes = before ?? { access: new Set(), account: new Set() }
  if (before === undefined) noted.set(tx, changes)
  changes[kind].add(id)
}

export function notedChanges(tx: Tx): { kind: NotedKind; subject: string }[] {
  const changes = noted.get(tx)
  if (changes === undefined) return []
  return notedKinds.flatMap((kind) => Array.from(changes[kind], (subject) => ({ kind, subject })))
}
