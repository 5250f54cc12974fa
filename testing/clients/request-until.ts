import { until } from '../until.ts'

/**
 * Sends requests with a key until the server answers one with this code. A ban takes two seconds, however fast they are
 * sent, so the machine is left to others meanwhile.
 */
export function requestUntil(code: string, { origin, key }: { origin: string; key: string }): Promise<void> {
  const headers = { authorization: `Bearer ${key}` }
  return until(
    async () => {
      const response = await fetch(`${origin}/v1/whoami`, { headers })
      const answer = (await response.json()) as { code?: string }
      return answer.code === code
    },
    { everyMs: 10 },
  )
}
