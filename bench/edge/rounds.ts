import type { Contender } from './contenders.ts'

/** What one round of load made of a server. */
export interface Round {
  requests: number
  processorSeconds: number
}

/**
 * Requests per second of the server's processor time, for each contender. They take turns, so that noise hits them all,
 * and the best round counts, since what else runs on a machine only slows.
 */
export async function bestOfRounds(
  contenders: readonly Contender[],
  rounds: number,
  run: (contender: Contender) => Promise<Round>,
): Promise<number[]> {
  const best = contenders.map(() => 0)
  for (let round = 0; round < rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      const { requests, processorSeconds } = await run(contender).catch((cause: unknown) => {
        throw new Error(`${contender.name} could not be measured`, { cause })
      })
      best[index] = Math.max(best[index] ?? 0, requests / processorSeconds)
    }
  }
  return best
}
