import type { FirstAnswer } from './first-answer.ts'

export interface Got {
  /** Seconds from the start to the first answer of each name; for Masthead from its verification. */
  took: number[]
  /** Of all names together. */
  all: number
  /** Tries that came to nothing before the first answer. */
  refusedBefore: number
  /** Of one visit to each name, all at once, when the name was said or seen to be there. */
  refusedAfter: number
  lost: number
  orders: number
  /** Seconds from verified to live. */
  live: number[] | null
}

export interface Contender {
  title: string
  get(names: readonly string[], atOnce: number): Promise<Omit<Got, 'orders'>>
  orders(): number
  suffix: string
}

/** Between two tries for all names together, so that to look does not take the time that is looked at. */
export const pausePerName = 5

export function summary(timed: readonly { from: number; answer: FirstAnswer }[]) {
  const came = timed.flatMap(({ from, answer: { at } }) => (at === null ? [] : [{ from, at }]))
  return {
    took: came.map(({ from, at }) => (at - from) / 1000),
    lost: timed.length - came.length,
    refusedBefore: timed.reduce((sum, { answer }) => sum + answer.refused, 0),
  }
}
