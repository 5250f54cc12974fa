import type { Retry } from '@masthead/client/client.ts'
import { ProblemError } from '@masthead/client/problem-error.ts'
import { humanDuration } from './human-time.ts'

const worthMentioningMs = 2000

/** What a person is told while the client waits before it tries again, or null for a moment nobody notices. */
export function waitNote({ waitMs, error }: Pick<Retry, 'waitMs' | 'error'>): string | null {
  if (waitMs < worthMentioningMs) return null
  const isLimit = error instanceof ProblemError && error.code === 'rate_limited'
  const why = isLimit ? firstSentence(error.detail) : 'The server asks to wait.'
  return `${why} Going on in ${humanDuration(waitMs)}.`
}

/** The ones after it tell of the wait too, and a moment earlier than we go on. */
function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text
}
