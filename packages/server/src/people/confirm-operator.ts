import type { OperatorActor, PersonActor } from '../accounts/actor.ts'
import { type Database, lock, type Tx } from '../database/database.ts'
import { Problem } from '../kernel/problem.ts'
import { operatorsLock } from './create-person.ts'
import { readPerson } from './read.ts'

/**
 * Call it in a transaction that creates something that ends with the role. A request is authorized before its
 * transaction: without this, an operator who is removed in between would keep what the removal did not see.
 */
export async function confirmOperator(
  database: Pick<Database, 'dialect'>,
  tx: Tx,
  actor: OperatorActor | PersonActor,
): Promise<void> {
  await lock(database, tx, operatorsLock)
  if (actor.kind === 'operator' || (await readPerson(tx, actor.person.id)).operator === 1) return
  throw new Problem('forbidden', 'You are no longer an operator of this server.')
}
