import { setTimeout as sleep } from 'node:timers/promises'
import type { ClusterAccount, ClusterNode } from './cluster.ts'

export interface LimitCounts {
  admitted: number
  rejected: number
  /** Answers that no fault explains. */
  wrong: string[]
}

const burst = 10

/** Asks all nodes at once as often as the limit allows, and a little more; then waits for the next minute. */
export async function useUpLimit(
  { key }: ClusterAccount,
  apis: readonly ClusterNode[],
  counts: LimitCounts,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const answers = await Promise.all(
      apis.flatMap((node) => Array.from({ length: burst }, () => ask(node, key, counts))),
    )
    const resets = answers.filter((reset) => reset !== null)
    const next = resets.length === 0 ? Date.now() + 50 : Math.min(...resets) + 50
    while (!signal.aborted && Date.now() < next) await sleep(Math.min(200, Math.max(1, next - Date.now())))
  }
}

/** When to come back, if the limit is used up. */
async function ask(
  { process: { origin } }: ClusterNode,
  key: string,
  counts: LimitCounts,
): Promise<number | null> {
  try {
    const response = await fetch(`${origin}/v1/whoami`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(15_000),
    })
    await response.body?.cancel()
    if (response.status === 200) counts.admitted++
    else if (response.status === 429) {
      counts.rejected++
      return Date.now() + Number(response.headers.get('retry-after')) * 1000
    } else if (response.status !== 503) counts.wrong.push(`whoami answered ${response.status}`)
  } catch {
    // The node is down.
  }
  return null
}
