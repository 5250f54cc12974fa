import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

export interface LabelledChallenge {
  label: string
  keyAuthorization: string
}

export interface ChallengeValuesOptions {
  /** Every challenge under way. They are few: an order takes seconds. */
  load(): Promise<readonly LabelledChallenge[]>
  /** The shortest time from the start of a load to the next. */
  pauseMs?: number
}

const defaultPause = 20
/** Of the time, at most a quarter is spent loading. */
const pausePerLoad = 4
/** A name and its wildcard share a label, and abandoned orders may have left more. */
const mostValues = 8

/**
 * Finds the values at a label. Each question needs a load that started after it arrived, or the value might have been
 * stored in between. Questions share loads and loads have pauses, so that a flood of questions costs the database no
 * more than a few.
 */
export function createChallengeValues({ load, pauseMs = defaultPause }: ChallengeValuesOptions) {
  let next: Promise<Map<string, LabelledChallenge[]>> | null = null
  let running: Promise<unknown> = Promise.resolve()

  function loadAfterThis(): Promise<Map<string, LabelledChallenge[]>> {
    next ??= running.then(() => {
      next = null
      const startedAt = performance.now()
      const loaded = load().then((all) => Map.groupBy(all, ({ label }) => label))
      running = loaded
        .catch(() => {})
        .then(() => {
          const took = performance.now() - startedAt
          return sleep(Math.max(pauseMs - took, took * (pausePerLoad - 1)))
        })
      return loaded
    })
    return next
  }

  return async (label: string): Promise<readonly string[]> => {
    const challenges = (await loadAfterThis()).get(label) ?? []
    return challenges.slice(0, mostValues).map(({ keyAuthorization }) => challengeValue(keyAuthorization))
  }
}

/** RFC 8555, section 8.4. */
export function challengeValue(keyAuthorization: string): string {
  return createHash('sha256').update(keyAuthorization).digest('base64url')
}
