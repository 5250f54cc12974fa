import type { Id } from '@masthead/contract/ids.ts'
import type { Person } from '@masthead/contract/schemas/people.ts'
import type { Role, Scope } from '@masthead/contract/scopes.ts'
import type { EventActor } from '../events/record-event.ts'
import type { AccountRow } from './account.ts'

/** Who a request counts as. */
export type Actor = KeyActor | PersonActor | OperatorActor

export interface KeyActor {
  kind: 'key'
  account: AccountRow
  key: { id: Id<'key'>; name: string }
  scopes: readonly Scope[]
}

export interface PersonActor {
  kind: 'person'
  account: AccountRow
  person: Person
  role: Role
  scopes: readonly Scope[]
  /** `prolonged`: with this request, so the browser has to hear of it. */
  session: { tokenHash: string; expiresAt: number; prolonged: boolean }
}

export interface OperatorActor {
  kind: 'operator'
}

export type AccountActor = KeyActor | PersonActor

export function eventActor(actor: Actor): EventActor {
  switch (actor.kind) {
    case 'key':
      return { kind: 'key', id: actor.key.id, name: actor.key.name }
    case 'person':
      return { kind: 'person', id: actor.person.id, name: actor.person.name }
    case 'operator':
      return { kind: 'operator', id: null, name: 'Operator' }
  }
}
