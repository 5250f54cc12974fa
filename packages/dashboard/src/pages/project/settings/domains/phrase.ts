/** A part of a sentence about a domain: words, or a time that ticks where it is shown. */
export type Phrase =
  | string
  /** `12 seconds ago` */
  | { ago: string }
  /** `in 8 s`, and `now` once that has passed. */
  | { due: string }
  /** `47 h 52 min` */
  | { left: string }
  /** `3 January 2027` */
  | { date: string }

/** Clauses as one line, with a dot between them. */
export function clauses(...all: (readonly Phrase[] | null)[]): Phrase[] {
  return all
    .filter((clause) => clause !== null && clause.length > 0)
    .flatMap((clause, index) => (clause === null ? [] : index === 0 ? clause : [' · ', ...clause]))
}
