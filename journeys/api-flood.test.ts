import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { visit } from '@masthead/testing/clients/visit.ts'
import { startApiFlood } from '@masthead/testing/load/api-flood.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'

const MiB = 1024 ** 2
const secondsOfFlood = 6
/** How much memory a flood may add. Before bodies and answers were bounded, it was gigabytes. */
const maxAdded = 400 * MiB
/** Refused for their content or their number, never with a server error. */
const expected = new Set(['413', '422', '429', 'closed'])

/** Resident memory of all processes of the server. */
async function memoryOf({ output }: MastheadProcess, pids: number[]): Promise<number> {
  let bytes = 0
  for (const pid of pids) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() =>
      assert.fail(`the server died:\n${output}`),
    )
    bytes += Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024
  }
  return bytes
}

async function withstand(env: Record<string, string>): Promise<void> {
  await using masthead = await MastheadProcess.start({ env })
  assert.equal((await visit(masthead, 'hello', '/')).status, 200)
  const pids = await masthead.pids()
  const before = await memoryOf(masthead, pids)
  let most = 0
  {
    await using flood = await startApiFlood({
      port: masthead.httpPort,
      host: 'localhost',
      from: '127.0.0.9',
      connections: 20,
    })
    const end = Date.now() + secondsOfFlood * 1000
    // On a busy machine it takes longer until there are too many.
    for (let isRefused = false; !isRefused || Date.now() < end; await sleep(50)) {
      assert.equal((await visit(masthead, 'hello', '/')).status, 200)
      most = Math.max(most, (await memoryOf(masthead, pids)) - before)
      isRefused ||= '429' in (await flood.counts())
    }
    const counts = await flood.stop()
    const others = Object.keys(counts).filter((what) => !expected.has(what))
    assert.deepEqual(others, [], JSON.stringify(counts))
  }
  assert.ok(most < maxAdded, `the flood took ${Math.round(most / MiB)} MiB`)
  // The same processes still answer others.
  assert.equal((await fetch(`${masthead.origin}/v1/server`)).status, 200)
  assert.deepEqual(await masthead.pids(), pids)
}

describe('a flood of the API from one address', { timeout: 300_000 }, () => {
  test('takes bounded memory and is refused, while a site is visited', () => withstand({}))
  test('takes bounded memory with edge processes too', () => withstand({ MASTHEAD_WORKERS: '2' }))
})
