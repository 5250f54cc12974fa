import type { Id } from '@masthead/contract/schemas/fields.ts'
import { type OperatorActor, operatorAsActor, type PersonActor } from '../accounts/actor.ts'
import type { Context } from '../database/database.ts'
import { Problem } from '../kernel/problem.ts'
import { confirmOperator } from './confirm-operator.ts'
import { endOwnerInvitations } from './invitations.ts'
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
    const [by, at, data] = [operatorAsActor(actor), now(), { operator }]
    await recordPersonEvent(tx, person, { type: 'member.operator_changed', by, at, data })
    if (operator) return
    // Anyone with a reset link can sign in as the person it is for. Who created it is not stored.
    await deleteResetsOfOperators(tx)
    await endOwnerInvitations(tx, { inviterId: personId, by, at })
  })
}
