import type { Context } from '../database/database.ts'
import { deleteExpiredTickets, insertUsedTicket } from './store.ts'

/** False if it was used before, on whichever node. */
export function useTicket(
  { database, now }: Context,
  { id, usableUntil }: { id: string; usableUntil: number },
): Promise<boolean> {
  return database.write(async (tx) => {
    await deleteExpiredTickets(tx, now())
    return insertUsedTicket(tx, { id, expires_at: usableUntil })
  })
}
