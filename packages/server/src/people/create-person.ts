import { type Database, lock, type Tx } from '../database/database.ts'
import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import { findPersonByEmail, insertPerson, type PersonRow } from './store.ts'

export interface NewPerson {
  name: string
  email: string
  passwordHash: string
  operator: boolean
  at: number
}

/** The hash is made before the transaction: it takes long, and a transaction must not. */
export async function createPerson(database: Database, tx: Tx, input: NewPerson): Promise<PersonRow> {
  await lock(database, tx, emailLock(input.email))
  if ((await findPersonByEmail(tx, input.email)) !== undefined) {
    throw new Problem('email_taken', `${input.email} has an account here already.`)
  }
  const row: PersonRow = {
    id: newId('person', input.at),
    email: input.email,
    name: input.name,
    password_hash: input.passwordHash,
    operator: input.operator ? 1 : 0,
    created_at: input.at,
  }
  await insertPerson(tx, row)
  return row
}

/** Between those who would have the same email address. */
export function emailLock(email: string): string {
  return `email:${email}`
}
