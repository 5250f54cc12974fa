import type { Captures } from '../match-pattern.ts'
import { capturedName } from '../pattern.ts'
import type { RedirectRule } from '../rules.ts'
import { escapeQuery } from '../target.ts'
import { type MatchBudget, workPerSegment } from './match-budget.ts'

interface QueryPair {
  readonly text: string
  /** Null if there is nothing between two `&`. */
  readonly name: string | null
  readonly value: string
}

interface QueryParameters {
  readonly pairs: readonly QueryPair[]
  /** The first value of each name. */
  readonly values: ReadonlyMap<string, string>
}

/** The query of a request, parsed once however many rules look at it. */
export class RequestQuery {
  readonly #query: string
  readonly #budget: MatchBudget
  #parameters: QueryParameters | null = null

  constructor(query: string, budget: MatchBudget) {
    this.#query = query
    this.#budget = budget
  }

  /** What is left of it, without the parameters of the rule; null if one is missing or has another value. */
  match(conditions: RedirectRule['query'], captures: Captures): string | null {
    if (conditions === undefined) return this.#query
    this.#parameters ??= readParameters(this.#query)
    const { pairs, values } = this.#parameters
    this.#budget.spend(conditions.length * workPerSegment)
    const names = new Set<string | null>()
    for (const [name, wanted] of conditions) {
      const given = values.get(name)
      if (given === undefined || names.has(name)) return null
      const captured = capturedName(wanted)
      if (captured !== null) captures[captured] = given
      else if (given !== wanted) return null
      names.add(name)
    }
    this.#budget.spend(pairs.length * workPerSegment)
    // As they were sent: another spelling may break a signature over the query.
    const rest = pairs.flatMap(({ text, name }) => (names.has(name) ? [] : text)).join('&')
    return rest === '' ? '' : `?${rest}`
  }
}

function readParameters(query: string): QueryParameters {
  const pairs = escapeQuery(query).slice(1).split('&').map(readPair)
  const values = new Map<string, string>()
  for (const { name, value } of pairs) if (name !== null && !values.has(name)) values.set(name, value)
  return { pairs, values }
}

function readPair(text: string): QueryPair {
  // Without the `&`, a question mark at the start would be dropped.
  const [pair] = text === '' ? [] : new URLSearchParams(`&${text}`)
  return { text, name: pair?.[0] ?? null, value: pair?.[1] ?? '' }
}
