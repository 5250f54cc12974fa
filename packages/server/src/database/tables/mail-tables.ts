import type { Id } from '@masthead/contract/schemas/fields.ts'

/** Events that owners of accounts hear about by email, until they are sent. */
export interface MailTables {
  /** Written with the event. */
  notices: {
    event_id: Id<'event'>
    person_id: Id<'person'>
    account_id: Id<'account'>
    created_at: number
  }
  /** One row for everybody who has notices, or got a mail lately. */
  notice_queues: {
    person_id: Id<'person'>
    due_at: number
    lease_owner: string | null
    lease_until: number
  }
}
