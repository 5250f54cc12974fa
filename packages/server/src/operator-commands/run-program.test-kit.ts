import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { programEnvironment } from '@masthead/testing/programs.ts'
import { main } from './masthead-server.ts'

const program = join(import.meta.dirname, '../../bin/masthead-server.js')

/** `masthead-server` in a process of its own. */
export function startProgram(args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...programEnvironment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  const said = Promise.all([text(child.stdout), text(child.stderr)])
  return {
    child,
    async done() {
      const [[status], [stdout, stderr]] = await Promise.all([exited, said])
      return { status, stdout, stderr }
    },
  }
}

export async function runProgram(args: readonly string[], env: Record<string, string>) {
  return startProgram(args, env).done()
}

/** The same in this process, which takes less time. */
export async function runHere(args: readonly string[], env: Record<string, string> = {}) {
  const said = { stdout: '', stderr: '' }
  const mask = process.umask()
  try {
    const status = await main(args, {
      stdout: { write: (text) => (said.stdout += text) },
      stderr: { write: (text) => (said.stderr += text) },
      env,
    })
    return { status, ...said }
  } finally {
    // A command keeps what it writes from other users, for as long as its process lives.
    process.umask(mask)
  }
}
