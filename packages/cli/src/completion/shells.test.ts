import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { type PeerName, requirePeer, skipWithout } from '@masthead/testing/peers/peers.ts'
import { killOnExit } from '@masthead/testing/supervised-process.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { until } from '@masthead/testing/until.ts'
import { program } from '../../test/run-masthead.ts'
import { type Shell, scripts } from './scripts.ts'

/** Without the settings of this machine's user, and as the first lines of each script say. */
const interactive: Record<Shell, { peer: PeerName; flags: string; setup: string }> = {
  bash: { peer: 'bash', flags: '--norc --noprofile -i', setup: 'source <(masthead completion bash)' },
  zsh: {
    peer: 'zsh',
    flags: '-f -i',
    setup: 'autoload -Uz compinit && compinit -u -D && source <(masthead completion zsh)',
  },
  fish: { peer: 'fish', flags: '--no-config -i', setup: 'masthead completion fish | source' },
}

/** A shell at a terminal, in which `masthead` writes down how it was called. */
async function openShell(shell: Shell) {
  const { peer, flags, setup } = interactive[shell]
  const folder = await temporaryFolder(`masthead-${shell}`)
  const calls = join(folder.path, 'calls')
  const command = join(folder.path, 'bin/masthead')
  await mkdir(dirname(command))
  await mkdir(join(folder.path, 'dist'))
  await writeFile(calls, '')
  await writeFile(
    command,
    `#!/bin/sh\necho "$*" >> '${calls}'\ncase "$1" in completion) exec '${process.execPath}' '${program}' "$@";; esac\n`,
  )
  await chmod(command, 0o755)
  const child = spawn('script', ['--quiet', '--command', `${requirePeer(peer)} ${flags}`, '/dev/null'], {
    cwd: folder.path,
    env: { PATH: `${dirname(command)}:${process.env.PATH}`, HOME: folder.path, TERM: 'xterm' },
  })
  killOnExit(child)
  let shown = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      shown += text
    })
  const called = async () => (await readFile(calls, 'utf8')).split('\n').filter(Boolean)
  child.stdin.write(`${setup}\necho rea''dy\n`)
  await until(() => /ready/.test(shown))
  return {
    /** Types, and returns what was called that way besides questions for suggestions. */
    async type(keys: string): Promise<string | undefined> {
      const own = async () => (await called()).filter((line) => !line.startsWith('completion '))
      const before = (await own()).length
      child.stdin.write(`${keys}\n`)
      await until(async () => (await own()).length > before).catch((error: unknown) => {
        throw new Error(`${shell} shows:\n${shown}`, { cause: error })
      })
      return (await own()).at(-1)?.trim()
    },
    async [Symbol.asyncDispose]() {
      const closed = once(child, 'close')
      child.stdin.end('exit\n')
      child.kill('SIGHUP')
      await closed
      await folder.remove()
    },
  }
}

for (const shell of Object.keys(scripts) as Shell[]) {
  test(`Tab completes commands, verbs, options and folders in ${shell}`, {
    skip: skipWithout(interactive[shell].peer),
  }, async () => {
    await using opened = await openShell(shell)
    assert.equal(await opened.type('masthead whoa\t'), 'whoami')
    assert.equal(await opened.type('masthead webhooks lis\t'), 'webhooks listen')
    assert.equal(await opened.type('masthead deploy --no-act\t'), 'deploy --no-activate')
    assert.match((await opened.type('masthead deploy dis\t')) ?? '', /^deploy dist\/?$/)
  })
}
