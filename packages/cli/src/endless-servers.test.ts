import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@masthead/client/client.ts'
import type { EndpointName } from '@masthead/contract/endpoints.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { hostileServer } from '../test/hostile-server.ts'
import { runMasthead } from '../test/run-masthead.ts'
import { nextPollMs } from './domains/watch.ts'
import { signIn } from './sign-in.ts'
import { Output } from './terminal/output.ts'

const lists: [line: string, endpoint: EndpointName][] = [
  ['projects', 'listProjects'],
  ['deployments -p x', 'listDeployments'],
  ['rollback -p x', 'listDeployments'],
  ['domains -p x', 'listDomains'],
  ['keys', 'listKeys'],
  ['logs dpl_06d8f2k4m9q1s7x3b5n0 -p x', 'listEvents'],
  ['webhooks listen', 'listEvents'],
]

test('a list that leads to the same page again ends with an error', { timeout: 120_000 }, async () => {
  await using folder = await temporaryFolder('masthead-endless')
  for (const [line, endpoint] of lists) {
    await using server = await hostileServer({ [endpoint]: () => ({ items: [], next: 'again' }) })
    const env = { MASTHEAD_SERVER: server.url, MASTHEAD_KEY: 'mh_abcdefghijklmnopqrstuvwxyz012345' }
    const { exitCode, stdout, stderr } = await runMasthead(line.split(' '), { cwd: folder.path, env })
    assert.deepEqual([exitCode, stdout], [1, ''], `${line}\n${stderr}`)
    assert.match(
      stderr,
      /^The list has no end: the server leads to the same page again\.\nTry again later, and tell your operator if it happens again\.\n$/m,
    )
    assert.ok(server.count(endpoint) <= 3, line)
  }
})

test('a sign-in that is pending for ever is given up after a while', { timeout: 60_000 }, async () => {
  for (const pollSeconds of [1e9, 'soon']) {
    await using server = await hostileServer({
      startLogin: () => ({ code: 'BCDF-GHJK', secret: 's', url: 'http://127.0.0.1/cli', pollSeconds }),
      claimLogin: () => ({ state: 'pending', secret: null }),
    })
    const waits: number[] = []
    const { stderr } = process
    const stdout = Object.assign(Object.create(stderr), { write: () => true })
    const out = new Output({ stdin: {}, stdout, stderr: stdout, json: false, quiet: true })
    const asking = signIn({
      client: createClient({ server: server.url }),
      out,
      signal: new AbortController().signal,
      sleep: async (ms) => void waits.push(ms),
      openBrowser: () => {},
    })
    await assert.rejects(asking, { code: 'login_refused', message: /expired/ })
    assert.ok(Math.min(...waits) >= 1_000 && Math.max(...waits) <= 60_000, String(pollSeconds))
    const total = waits.reduce((sum, ms) => sum + ms, 0)
    assert.ok(total >= 600_000 && total <= 3_600_000, `${pollSeconds}: ${total}`)
  }
})

test('a domain whose times make no sense is not looked at without a pause', () => {
  for (const time of ['', 'soon', '9999999-01-01T00:00:00Z', null]) {
    const lastCheck = { at: time } as Domain['lastCheck']
    for (const nextCheckAt of [time, null, '2026-01-01T00:00:00.000Z']) {
      const domain = { nextCheckAt, lastCheck, createdAt: time } as Domain
      const ms = nextPollMs(domain, Date.parse('2026-01-01T00:00:00.000Z'))
      assert.ok(ms >= 1_000 && ms <= 300_000, `${time} ${nextCheckAt}: ${ms}`)
    }
  }
})
