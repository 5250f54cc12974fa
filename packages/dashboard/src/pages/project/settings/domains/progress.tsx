import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { Countdown, Time } from '../../../../ui/time.tsx'
import { dateWords, exactTime } from '../../../../ui/time-words.ts'
import type { Phrase } from './state/state-words.ts'
import { type Step, steps } from './state/steps.ts'

const marks = {
  done: { ring: 'border-live bg-live text-sheet', word: 'done' },
  now: { ring: 'border-waiting', word: 'in progress' },
  stopped: { ring: 'border-stopped', word: 'stopped' },
  ahead: { ring: 'border-edge', word: 'not started' },
} as const

export function DomainProgress({ domain }: { domain: Domain }) {
  return (
    <ol
      aria-label={`Progress of ${domain.unicode}`}
      className="grid divide-y divide-hairline rounded-sheet border border-hairline bg-sheet sm:grid-cols-3 sm:divide-x sm:divide-y-0"
    >
      {steps(domain).map((step) => (
        <li
          key={step.title}
          aria-current={step.at === 'now' || step.at === 'stopped' ? 'step' : undefined}
          className="px-4 py-3"
        >
          <div className="flex items-center gap-2.5">
            <Mark at={step.at} />
            <span className={step.at === 'ahead' ? 'font-medium text-soft' : 'font-medium'}>
              {step.title}
            </span>
            <span className="sr-only">, {marks[step.at].word}</span>
          </div>
          <p className="mt-0.5 text-small text-soft">
            <Phrases of={step.words} />
          </p>
        </li>
      ))}
    </ol>
  )
}

function Mark({ at }: Pick<Step, 'at'>) {
  return (
    <span
      aria-hidden="true"
      className={`grid size-4 shrink-0 place-items-center rounded-full border-[1.5px] transition-colors duration-150 ${marks[at].ring}`}
    >
      {at === 'done' && (
        <svg
          aria-hidden="true"
          viewBox="0 0 10 10"
          className="size-2.5 fill-none stroke-current stroke-[1.8]"
        >
          <path d="M2 5.2 4.2 7.4 8 3" strokeLinecap="round" strokeLinejoin="round" />
        </svg>
      )}
      {at === 'now' && <span className="size-2 rounded-full bg-waiting forced-colors:highlighted" />}
      {at === 'stopped' && <span className="h-[1.5px] w-2 bg-stopped forced-colors:highlighted" />}
    </span>
  )
}

/** A sentence with times that tick. */
export function Phrases({ of }: { of: readonly Phrase[] }) {
  // The parts of a sentence have no ids, and their order does not change.
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
