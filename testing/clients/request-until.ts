import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../until.ts'

/** Requests in this time after the first 429 do not count towards a ban. */
const graceMs = 2_000

/** Sends requests with a key until the server answers one with this code, and none that would count for nothing. */
export async function requestUntil(
  code: string,
  { origin, key }: { origin: string; key: string },
): Promise<void> {
  const headers = { authorization: `Bearer ${key}` }
  let isWarned = false
  await until(
    async () => {
      const response = await fetch(`${origin}/v1/whoami`, { headers })
      const answer = (await response.json()) as { code?: string }
      if (answer.code === code) return true
      if (response.status === 429 && !isWarned) {
        isWarned = true
        await sleep(graceMs)
      }
      return false
    },
    { everyMs: 5 },
  )
}
