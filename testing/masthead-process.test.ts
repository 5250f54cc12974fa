import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MastheadProcess } from './masthead-process.ts'

test('a started server is ready, has its first link, and comes back on the same data', async () => {
  await using masthead = await MastheadProcess.start()
  assert.ok(masthead.firstLink.startsWith(masthead.origin))
  const rss = await masthead.rss()
  assert.ok((await masthead.peakRss()) >= rss)

  await masthead.kill('SIGKILL')
  await assert.rejects(fetch(`${masthead.origin}/readyz`))
  await masthead.restart()
  assert.equal((await fetch(`${masthead.origin}/readyz`)).status, 200)
})

test('an edge without the API is ready too, in one process and in several, and has no dashboard', async () => {
  for (const workers of ['1', '2']) {
    await using edge = await MastheadProcess.start({
      env: { MASTHEAD_ROLES: 'edge', MASTHEAD_WORKERS: workers },
    })
    const ask = async (path: string) => (await fetch(`http://127.0.0.1:${edge.httpPort}${path}`)).status
    assert.deepEqual([await ask('/healthz'), await ask('/readyz'), await ask('/')], [200, 200, 404])
  }
})

test('a server that cannot start fails with what it said', async () => {
  await assert.rejects(
    MastheadProcess.start({ env: { MASTHEAD_HTTP_PORT: 'eighty' } }),
    /MASTHEAD_HTTP_PORT[^\n]*eighty/,
  )
})
