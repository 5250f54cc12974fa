import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test } from 'node:test'
import { requirePeer, skipWithout } from '@masthead/testing/peers/peers.ts'
import { killOnExit } from '@masthead/testing/supervised-process.ts'
import { until } from '@masthead/testing/until.ts'
import { program } from '../../test/run-masthead.ts'
import { serverForFile } from '../../test/test-server.ts'
import { createWorkplace, type Workplace } from '../../test/workplace.ts'

const server = serverForFile()

/** A shell at a terminal: only a shell stops a command on Ctrl-Z and continues it. */
function openShell({ path, signedIn }: Workplace) {
  const shell = `${requirePeer('bash')} --norc --noprofile -i`
  const child = spawn('script', ['--quiet', '--command', shell, '/dev/null'], {
    cwd: path,
    env: { ...signedIn, PATH: process.env.PATH, HOME: path, TERM: 'xterm' },
  })
  killOnExit(child)
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text
  })
  return {
    /** Types, and waits for what is shown then. */
    async type(keys: string, expected: RegExp): Promise<string> {
      const start = shown.length
      child.stdin.write(keys)
      await until(() => expected.test(shown.slice(start))).catch((error: unknown) => {
        throw new Error(`The terminal shows:\n${shown}`, { cause: error })
      })
      return shown.slice(start)
    },
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  }
}

test('a question is answered after Ctrl-Z and fg', { skip: skipWithout('bash') }, async () => {
  await using place = await createWorkplace(server())
  await place.addProject('site')
  using shell = openShell(place)
  const command = `'${process.execPath}' '${program}' projects delete site\n`
  await shell.type(command, /Delete .*\[y\/N\] /)
  await shell.type('\x1a', /Stopped/)
  await shell.type('fg; echo "exit=$?"\n', /Delete .*\[y\/N\] /)
  await shell.type('y\n', /exit=0/)
  assert.deepEqual((await place.client.listProjects()).items, [])
})

test('a password is typed after Ctrl-Z and fg, and is not shown', { skip: skipWithout('bash') }, async () => {
  await using place = await createWorkplace(server())
  await place.addProject('site')
  using shell = openShell(place)
  const command = `'${process.execPath}' '${program}' protect on -p site\n`
  await shell.type(command, /Password for visitors: /)
  await shell.type('\x1a', /Stopped/)
  await shell.type('fg; echo "exit=$?"\n', /Password for visitors: /)
  assert.doesNotMatch(await shell.type('open sesame 2026\n', /exit=0/), /sesame/)
  const { protection } = await place.client.getProject({ params: { project: 'site' } })
  assert.notEqual(protection, null)
})
