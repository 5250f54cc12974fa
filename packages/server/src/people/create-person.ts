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

/** Takes the hash, not the password: hashing is slow, and a transaction must be short. */
export async function createPerson(database: Database, tx: Tx, input: NewPerson): Promise<PersonRow> {
  await lock(database, tx, emailLock(input.email))
  if ((await findPersonByEmail(tx, input.email)) !== undefined) {
    throw new Problem('email_taken', `${input.email} already has an account here.`)
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

/** Held while an email address is checked and taken. */
export function emailLock(email: string): string {
  return `email:${email}`
}

/**
 * Held while setup links are created and used, and operators change or create what ends with their role: there is no
 * setup link while there is an operator.
 */
export const operatorsLock = 'first link'
