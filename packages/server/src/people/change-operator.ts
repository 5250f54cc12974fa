import type { Id } from '@masthead/contract/schemas/fields.ts'
import { type OperatorActor, operatorAsActor, type PersonActor } from '../accounts/actor.ts'
import { type Context, type Database, lock, type Tx } from '../database/database.ts'
import { Problem } from '../kernel/problem.ts'
import { operatorsLock } from './create-person.ts'
import { deleteResetsOfOperators } from './link-store.ts'
import { recordPersonEvent } from './person-events.ts'
import { readPerson } from './read.ts'
import { countOperators, updatePerson } from './store.ts'

interface OperatorChange {
  actor: OperatorActor | PersonActor
  personId: Id<'person'>
  operator: boolean
}

/** Operators come and go like members. The last one stays: without any, the next start would print a setup link. */
export async function changeOperator(
  { database, now }: Context,
  { actor, personId, operator }: OperatorChange,
): Promise<void> {
  await database.write(async (tx) => {
    await confirmOperator(database, tx, actor)
    const person = await readPerson(tx, personId)
    if ((person.operator === 1) === operator) return
    if (!operator && (await countOperators(tx)) === 1) {
      throw new Problem('last_operator', `${person.name} is the only operator of this server.`)
    }
    await updatePerson(tx, personId, { operator: operator ? 1 : 0 })
    // Anyone with a link can sign in as the person it is for. Who created it is not stored.
    if (!operator) await deleteResetsOfOperators(tx)
    const event = { type: 'member.operator_changed', by: operatorAsActor(actor), data: { operator } } as const
    await recordPersonEvent(tx, person, { ...event, at: now() })
  })
}

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
