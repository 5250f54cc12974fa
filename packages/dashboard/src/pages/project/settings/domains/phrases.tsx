import { Countdown } from '../../../../ui/countdown.tsx'
import { exactTime } from '../../../../ui/relative-time.ts'
import { Time } from '../../../../ui/time.tsx'
import { dateWords } from './date-words.ts'
import type { Phrase } from './phrase.ts'

/** A sentence whose times tick. */
export function Phrases({ of }: { of: readonly Phrase[] }) {
  // Clauses have no names of their own, and a sentence is short: its order is its identity.
  return of.map((phrase, index) => <Part key={`part-${index + 1}`} phrase={phrase} />)
}

function Part({ phrase }: { phrase: Phrase }) {
  if (typeof phrase === 'string') return phrase
  if ('ago' in phrase) return <Time at={phrase.ago} />
  if ('due' in phrase || 'left' in phrase) {
    return (
      <span className="whitespace-nowrap">
        {'due' in phrase ? (
          <Countdown to={phrase.due} before="in " over="now" />
        ) : (
          <Countdown to={phrase.left} over="a moment" />
        )}
      </span>
    )
  }
  return (
    <time dateTime={phrase.date} title={exactTime(Date.parse(phrase.date))}>
      {dateWords(phrase.date)}
    </time>
  )
}
