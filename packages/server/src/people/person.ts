import type { Invitation, Member, Person, Session } from '@masthead/contract/schemas/people.ts'
import { suspensionOf } from '../accounts/account.ts'
import type { EventActor } from '../events/record-event.ts'
import { isoTime } from '../kernel/clock.ts'
import type { InvitationRow } from './link-store.ts'
import type { MemberRow, MembershipRow, PersonRow } from './store.ts'

export function toPerson(row: Pick<PersonRow, 'id' | 'name' | 'email' | 'operator'>): Person {
  return { id: row.id, name: row.name, email: row.email, operator: row.operator === 1 }
}

export function toMember(row: MemberRow): Member {
  return {
    person: { id: row.id, name: row.name, email: row.email },
    role: row.role,
    joinedAt: isoTime(row.joined_at),
  }
}

export function toMembership({ id, name, role, ...row }: MembershipRow): Session['accounts'][number] {
  return { id, name, role, suspension: suspensionOf(row) }
}

export function toInvitation(row: InvitationRow): Invitation {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    invitedBy: row.invited_by,
    createdAt: isoTime(row.created_at),
    expiresAt: isoTime(row.expires_at),
  }
}

export function personAsActor(row: Pick<PersonRow, 'id' | 'name'>): EventActor {
  return { kind: 'person', id: row.id, name: row.name }
}
