import type { Id } from '@masthead/contract/schemas/fields.ts'
import { type Context, lock } from '../database/database.ts'
import type { EventActor } from '../events/record-event.ts'
import { Problem } from '../kernel/problem.ts'
import { operatorsLock } from './create-person.ts'
import { recordPersonEvent } from './person-events.ts'
import { readPerson } from './read.ts'
import { countOperators, updatePerson } from './store.ts'

interface OperatorChange {
  personId: Id<'person'>
  operator: boolean
  by: EventActor
}

/** Operators come and go like members. The last one stays: without any, the next start would print a setup link. */
export async function changeOperator(
  { database, now }: Context,
  { personId, operator, by }: OperatorChange,
): Promise<void> {
  await database.write(async (tx) => {
    await lock(database, tx, operatorsLock)
    const person = await readPerson(tx, personId)
    if ((person.operator === 1) === operator) return
    if (!operator && (await countOperators(tx)) === 1) {
      throw new Problem('last_operator', `${person.name} is the only operator of this server.`)
    }
    await updatePerson(tx, personId, { operator: operator ? 1 : 0 })
    const data = { operator }
    await recordPersonEvent(tx, person, { type: 'member.operator_changed', by, at: now(), data })
  })
}
