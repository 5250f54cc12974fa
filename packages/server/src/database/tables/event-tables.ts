import type { EventKind, EventType } from '@masthead/contract/events.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Generated, GeneratedAlways } from 'kysely'

/** The activity of accounts, and the change feed that processes follow. */
export interface EventTables {
  events: {
    id: Id<'event'>
    account_id: Id<'account'>
    type: EventType
    /** The part of `type` before the dot. */
    kind: GeneratedAlways<EventKind>
    actor_kind: 'person' | 'key' | 'operator' | 'system'
    actor_id: string | null
    actor_name: string
    project_id: Id<'project'> | null
    data: string
    at: number
  }
  changes: { seq: Generated<number>; kind: string; subject: string; at: number }
}
