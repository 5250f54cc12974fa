import { minute, second } from '../clock.ts'
import type { Context } from '../database/context.ts'
import { Problem } from '../problem.ts'
import { addAttempt, deleteAttempts, deleteAttemptsBefore, readAttempts } from './attempt-store.ts'

interface Ladder {
  /** Attempts before the first wait. */
  free: number
  longestWait: number
}

/** Who is slowed: a guesser by where they are, and a person's password by how often it is guessed. */
const ladders = {
  address: { free: 20, longestWait: 15 * minute },
  // Short, so that a stranger cannot lock a person out.
  email: { free: 5, longestWait: 30 * second },
  login: { free: 30, longestWait: 15 * minute },
} as const satisfies Record<string, Ladder>

export interface AttemptSubject {
  kind: keyof typeof ladders
  value: string
}

const forgottenAfter = 60 * minute

/** How long after the last attempt the next is heard: doubling from a second once the free ones are used. */
export function waitAfter(attempts: number, ladder: Ladder): number {
  if (attempts < ladder.free) return 0
  return Math.min(2 ** Math.min(attempts - ladder.free, 20) * second, ladder.longestWait)
}

/** Refuses while any subject has to wait. Nothing is counted for a refused attempt. */
export async function refuseIfTooMany({ database, now }: Context, subjects: AttemptSubject[]): Promise<void> {
  const rows = await readAttempts(database.read, subjects.map(subjectKey))
  for (const subject of subjects) {
    const row = rows.find((candidate) => candidate.subject === subjectKey(subject))
    if (row === undefined || row.last_at < now() - forgottenAfter) continue
    const wait = row.last_at + waitAfter(row.failures, ladders[subject.kind]) - now()
    if (wait <= 0) continue
    const seconds = Math.ceil(wait / second)
    throw new Problem('too_many_attempts', `Too many attempts. Try again in ${seconds} s.`, {
      headers: { 'Retry-After': String(seconds) },
    })
  }
}

export async function countAttempt({ database, now }: Context, subjects: AttemptSubject[]): Promise<void> {
  const at = now()
  await database.write(async (tx) => {
    await deleteAttemptsBefore(tx, at - forgottenAfter)
    for (const subject of subjects) await addAttempt(tx, subjectKey(subject), at)
  })
}

export async function forgetAttempts({ database }: Context, subject: AttemptSubject): Promise<void> {
  await database.write((tx) => deleteAttempts(tx, subjectKey(subject)))
}

function subjectKey(subject: AttemptSubject): string {
  return `${subject.kind}:${subject.value}`
}
