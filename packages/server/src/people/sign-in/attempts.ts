import { type Context, lock } from '../../database/database.ts'
import { minute, second } from '../../kernel/clock.ts'
import { Problem } from '../../kernel/problem.ts'
import {
  addAttempt,
  deleteAttempts,
  deleteAttemptsBefore,
  readAttempts,
  undoAttempts,
} from '../session-store.ts'

export interface AttemptBackoff {
  freeAttempts: number
  maxWait: number
}

/** Slows down guessers by address, and guesses at one person's password by person. */
const attemptBackoffs = {
  address: { freeAttempts: 20, maxWait: 15 * minute },
  // Short, so that a stranger cannot lock a person out.
  email: { freeAttempts: 5, maxWait: 30 * second },
  // A network or browser where the person signed in before. The same backoff as for an email address, so that it does
  // not reveal to strangers that they are in such a network.
  place: { freeAttempts: 5, maxWait: 30 * second },
  // Confirming the password in an open session.
  person: { freeAttempts: 5, maxWait: 15 * minute },
  login: { freeAttempts: 30, maxWait: 15 * minute },
  // At one password of a site, by address and by browser that was let in before.
  visitor: { freeAttempts: 5, maxWait: 15 * minute },
  'known-visitor': { freeAttempts: 5, maxWait: 15 * minute },
  // At all passwords of a site, by address, by known browsers of an address, and by network of many addresses.
  'visitor-address': { freeAttempts: 20, maxWait: 15 * minute },
  'known-visitor-address': { freeAttempts: 20, maxWait: 15 * minute },
  'visitor-network': { freeAttempts: 50, maxWait: 15 * minute },
  // Only counted: refusing visitors for what others do would lock everyone out.
  'guessed-site': { freeAttempts: Number.POSITIVE_INFINITY, maxWait: 0 },
} as const satisfies Record<string, AttemptBackoff>

export interface AttemptSubject {
  kind: keyof typeof attemptBackoffs
  value: string
  /** Instead of the one of its kind. */
  backoff?: AttemptBackoff
}

const forgottenAfter = 60 * minute

/** The wait after the last attempt: doubles from one second once the free attempts are used. */
export function backoffAfter(attempts: number, backoff: AttemptBackoff): number {
  if (attempts < backoff.freeAttempts) return 0
  return Math.min(2 ** Math.min(attempts - backoff.freeAttempts, 20) * second, backoff.maxWait)
}

/**
 * Counts an attempt for every subject, or refuses it and counts nothing while any subject has to wait. Runs under a
 * lock, so that simultaneous attempts are counted one by one. Returns the attempts of each subject, this one included.
 */
export async function countAttempt(
  { database, now }: Context,
  subjects: AttemptSubject[],
): Promise<number[]> {
  const at = now()
  return database.write(async (tx) => {
    await lock(database, tx, 'attempts')
    await deleteAttemptsBefore(tx, at - forgottenAfter)
    const rows = await readAttempts(tx, subjects.map(subjectKey))
    const attempts: number[] = []
    for (const subject of subjects) {
      const row = rows.find((candidate) => candidate.subject === subjectKey(subject))
      if (row !== undefined) refuseUntil(row.last_at + backoffAfter(row.failures, backoffOf(subject)), at)
      attempts.push((row?.failures ?? 0) + 1)
    }
    for (const subject of subjects) await addAttempt(tx, subjectKey(subject), at)
    return attempts
  })
}

/** How often a subject was counted within the last hour of attempts. */
export async function attemptsOf(
  { database }: Pick<Context, 'database'>,
  subject: AttemptSubject,
): Promise<number> {
  const [row] = await readAttempts(database.read, [subjectKey(subject)])
  return row?.failures ?? 0
}

interface Forgotten {
  /** Subjects whose attempts are deleted. */
  all: readonly AttemptSubject[]
  /** Subjects for which this attempt is undone. */
  undo: readonly AttemptSubject[]
  /** Undoes the attempts that are deleted as well. */
  undoEarlier?: boolean
}

/** After a success. */
export async function forgetAttempts(
  { database }: Context,
  { all, undo, undoEarlier = false }: Forgotten,
): Promise<void> {
  await database.write(async (tx) => {
    await lock(database, tx, 'attempts')
    const deleted = undoEarlier ? await readAttempts(tx, all.map(subjectKey)) : []
    const times = Math.max(1, ...deleted.map(({ failures }) => failures))
    for (const subject of undo) await undoAttempts(tx, subjectKey(subject), times)
    for (const subject of all) await deleteAttempts(tx, subjectKey(subject))
  })
}

function backoffOf({ kind, backoff }: AttemptSubject): AttemptBackoff {
  return backoff ?? attemptBackoffs[kind]
}

function refuseUntil(allowedAt: number, now: number): void {
  if (allowedAt <= now) return
  const seconds = Math.ceil((allowedAt - now) / second)
  throw new Problem('too_many_attempts', `Too many attempts. Try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  })
}

function subjectKey(subject: AttemptSubject): string {
  return `${subject.kind}:${subject.value}`
}
