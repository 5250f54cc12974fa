import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { killOnExit } from '@masthead/testing/supervised-process.ts'
import { until } from '@masthead/testing/until.ts'
import { noTerminal, program } from '../test/run-masthead.ts'
import { serverForFile } from '../test/test-server.ts'
import { createWorkplace } from '../test/workplace.ts'

// Of its own, because others would notice that it stops.
const server = serverForFile({ env: async () => ({}) })

test('a deploy at a terminal waits for a server that restarts, says so, and goes on', {
  skip: noTerminal,
}, async () => {
  const { masthead, origin, account } = server()
  // Without a front page it asks before the upload, so that the server can stop right then.
  const files = Array.from({ length: 6 }, (_, index) => [`site/${index}.bin`, `${index}`.repeat(300_000)])
  await using place = await createWorkplace(server(), Object.fromEntries(files))
  const command = `'${process.execPath}' '${program}' deploy site`
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: place.path,
    env: {
      PATH: process.env.PATH,
      TERM: 'xterm',
      HOME: place.path,
      MASTHEAD_SERVER: origin,
      MASTHEAD_KEY: account.key,
    },
  })
  killOnExit(child)
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  const closed = once(child, 'close')
  const isOver = () => child.exitCode !== null
  await until(() => isOver() || shown.includes('Publish it anyway?'))
  await masthead.kill('SIGTERM')
  child.stdin.write('y\n')
  const { host } = new URL(origin)
  await until(() => isOver() || new RegExp(`Waiting for ${host} to come back… \\d+ s`).test(shown))
  assert.equal(isOver(), false, shown)
  await masthead.restart()
  await closed
  assert.equal(child.exitCode, 0, shown)
  assert.match(shown, /Published site.*: 6 files, 6 uploaded/)
  const { items } = await place.client.listDeployments({ params: { project: 'site' } })
  assert.deepEqual(
    items.map(({ state, active }) => [state, active]),
    [['ready', true]],
  )
})
