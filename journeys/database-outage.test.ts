import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visitHost } from '@masthead/testing/clients/visit.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { startPostgres } from '@masthead/testing/peers/postgres.ts'
import { until } from '@masthead/testing/until.ts'

const requests = 600
const maxLines = 40

interface Line {
  level: number
  msg: string
  reason?: string
  failures?: number
}

test('while PostgreSQL is down a stranger cannot fill the log, and one line says when it goes and when it is back', {
  skip: skipWithout('postgresql'),
  timeout: 300_000,
}, async () => {
  const postgres = await startPostgres()
  try {
    await using masthead = await MastheadProcess.start({ env: { DATABASE_URL: postgres.url } })
    const start = masthead.output.length
    const lines = () =>
      masthead.output
        .slice(start)
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line) as Line)
    const stopped = () => lines().filter(({ msg }) => msg.startsWith('PostgreSQL does not answer'))
    const returned = () => lines().filter(({ msg }) => msg.startsWith('PostgreSQL answers again'))

    await postgres.crash()
    for (let sent = 0; sent < requests; sent += 20) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => visitHost(masthead, `x${sent + index}.masthead.localhost`)),
      )
      for (const { status } of answers) assert.equal(status, 503)
    }
    await until(() => stopped().length > 0)
    const [line] = stopped()
    assert.match(line?.msg ?? '', /DATABASE_URL.*Check that it runs/)
    assert.match(line?.reason ?? '', /ECONNREFUSED/)

    await postgres.start()
    await until(() => returned().length > 0)
    assert.ok((returned()[0]?.failures ?? 0) >= requests)
    assert.deepEqual([stopped().length, returned().length], [1, 1])
    assert.ok(lines().length <= maxLines, masthead.output.slice(start, start + 20_000))
  } finally {
    await postgres.stop()
  }
})
