import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../until.ts'
import { OpenConnection } from './open-connection.ts'

/** Requests in this time after the first 429 do not count towards a ban. */
const graceMs = 2_000

/** Sends requests with a key until the server answers one with this code, and none that would count for nothing. */
export async function requestUntil(
  code: string,
  { origin, key }: { origin: string; key: string },
): Promise<void> {
  const { host, port } = new URL(origin)
  const headers = { authorization: `Bearer ${key}` }
  using connection = await OpenConnection.to(Number(port))
  let isWarned = false
  await until(
    async () => {
      const { status, body } = await connection.send('GET', host, '/v1/whoami', headers)
      if ((JSON.parse(body) as { code?: string }).code === code) return true
      if (status === 429 && !isWarned) {
        isWarned = true
        await sleep(graceMs)
      }
      return false
    },
    { everyMs: 5 },
  )
}
