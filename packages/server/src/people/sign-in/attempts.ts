import { type Context, lock } from '../../database/database.ts'
import { minute, second } from '../../kernel/clock.ts'
import { Problem } from '../../kernel/problem.ts'
import {
  addAttempt,
  deleteAttempts,
  deleteAttemptsBefore,
  readAttempts,
  undoAttempt,
} from '../session-store.ts'

interface AttemptBackoff {
  /** Attempts before the first wait. */
  free: number
  longestWait: number
}

/** Who is slowed: a guesser by where they are, and a person's password by how often it is guessed. */
const attemptBackoffs = {
  address: { free: 20, longestWait: 15 * minute },
  // Short, so that a stranger cannot lock a person out.
  email: { free: 5, longestWait: 30 * second },
  // Where the person signed in before. The same waits: they must not tell a stranger that it is such a place.
  place: { free: 5, longestWait: 30 * second },
  // Somebody at an open session, who says that they know the password.
  person: { free: 5, longestWait: 15 * minute },
  login: { free: 30, longestWait: 15 * minute },
} as const satisfies Record<string, AttemptBackoff>

export interface AttemptSubject {
  kind: keyof typeof attemptBackoffs
  value: string
}

const forgottenAfter = 60 * minute

/** How long after the last attempt the next is heard: doubling from a second once the free ones are used. */
export function backoffAfter(attempts: number, ladder: AttemptBackoff): number {
  if (attempts < ladder.free) return 0
  return Math.min(2 ** Math.min(attempts - ladder.free, 20) * second, ladder.longestWait)
}

/**
 * Counts an attempt, or refuses it while any subject has to wait; then nothing is counted. In one turn, so that
 * many attempts at once are counted one by one. Tells how many there were of each, this one included.
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
      if (row !== undefined)
        refuseUntil(row.last_at + backoffAfter(row.failures, attemptBackoffs[subject.kind]), at)
      attempts.push((row?.failures ?? 0) + 1)
    }
    for (const subject of subjects) await addAttempt(tx, subjectKey(subject), at)
    return attempts
  })
}

/** After a success: takes this one attempt back from one subject, and all of them from the other. */
export async function forgetAttempts(
  { database }: Context,
  { one, all }: { one: AttemptSubject | null; all: AttemptSubject },
): Promise<void> {
  await database.write(async (tx) => {
    await lock(database, tx, 'attempts')
    if (one !== null) await undoAttempt(tx, subjectKey(one))
    await deleteAttempts(tx, subjectKey(all))
  })
}

function refuseUntil(free: number, now: number): void {
  if (free <= now) return
  const seconds = Math.ceil((free - now) / second)
  throw new Problem('too_many_attempts', `Too many attempts. Try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  })
}

function subjectKey(subject: AttemptSubject): string {
  return `${subject.kind}:${subject.value}`
}
