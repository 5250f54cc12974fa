import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Person } from '@masthead/contract/schemas/people.ts'
import type { Role, Scope } from '@masthead/contract/scopes.ts'
import type { EventActor } from '../events/record-event.ts'
import { Problem } from '../kernel/problem.ts'
import { type AccountRow, suspensionOf } from './account.ts'

/** Who makes a request. */
export type Actor = KeyActor | PersonActor | OperatorActor

export interface KeyActor {
  kind: 'key'
  account: AccountRow
  key: {
    id: Id<'key'>
    name: string
    /** Whose it is, if it is a personal key. */
    personName: string | null
    expiresAt: number | null
    responsibleId: Id<'person'> | null
    /** The only project it can use; null: all. */
    projectId: Id<'project'> | null
    /** A pipeline got it for its token: it can only deploy. */
    isOfPipeline: boolean
    /** It can only go live while this is the production branch; empty: never; null: always. */
    liveBranch: string | null
    /** The branch that its previews can be labelled with unless it can go live; empty or null: none. */
    previewBranch: string | null
  }
  scopes: readonly Scope[]
}

export interface PersonActor {
  kind: 'person'
  /** Null: the person belongs to no account. */
  account: AccountRow | null
  hasSeveralAccounts: boolean
  person: Person
  role: Role | null
  scopes: readonly Scope[]
  /** `prolonged`: this request extended it, so the cookie must be set again. */
  session: { id: Id<'session'>; tokenHash: string; expiresAt: number; prolonged: boolean }
}

/** A person in one of their accounts. */
export interface MemberActor extends PersonActor {
  account: AccountRow
  role: Role
}

export interface OperatorActor {
  kind: 'operator'
}

export type AccountActor = KeyActor | MemberActor

function isMember(actor: PersonActor): actor is MemberActor {
  return actor.account !== null && actor.role !== null
}

export function asMember(actor: PersonActor): MemberActor {
  if (isMember(actor)) return actor
  throw new Problem('no_account', 'You are not a member of any account.')
}

export function refuseSuspended(account: AccountRow): void {
  const suspension = suspensionOf(account)
  if (suspension === null) return
  const detail = `The operator has suspended ${account.name}: ${suspension.reason}`
  throw new Problem('account_suspended', detail, { extra: { suspension } })
}

/** What a key gives to others must not outlive it. `deed` completes "cannot … for longer". */
export function refuseExpiringKey(actor: AccountActor, deed: string): void {
  if (actor.kind !== 'key' || actor.key.expiresAt === null) return
  throw new Problem('forbidden', `This key expires, so it cannot ${deed} for longer.`)
}

export function unknownKey(): Problem {
  return new Problem('unauthenticated', 'This key is unknown, revoked or expired.', {
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  })
}

export function leftAccount(): Problem {
  return new Problem('wrong_account', 'You have left the account that this request is for.')
}

/** For what only the operator can do, so that members do not take a person who is an operator for one of them. */
export function operatorAsActor(actor: OperatorActor | PersonActor): EventActor {
  if (actor.kind === 'operator') return eventActor(actor)
  return { kind: 'operator', id: actor.person.id, name: actor.person.name }
}

export function eventActor(actor: Actor): EventActor {
  switch (actor.kind) {
    case 'key': {
      // The name of a personal key is only that of a machine.
      const { id, name, personName } = actor.key
      return { kind: 'key', id, name: personName === null ? name : `${personName}, ${name}` }
    }
    case 'person':
      return { kind: 'person', id: actor.person.id, name: actor.person.name }
    case 'operator':
      return { kind: 'operator', id: null, name: 'Operator' }
  }
}
