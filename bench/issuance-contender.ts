import type { FirstAnswer } from './first-answer.ts'

export interface Got {
  /** Seconds from the start to the first answer of each name; for Masthead from its verification. */
  took: number[]
  /** Of all names together. */
  all: number
  /** Null: not counted, since it is asked for before there is anything. */
  refused: number | null
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
  }
}
