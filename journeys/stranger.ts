import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { killOnExit } from '@masthead/testing/supervised-process.ts'

/** Folders with Node.js and npm that are not of this repository: what a stranger's machine has. */
const strangersFolders = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules') && existsSync(join(folder, 'npm')))

/** No settings of this machine, and no news from the registry, which a test should not wait for. */
const npmSettings = ['globalconfig=/dev/null', 'update_notifier=false', 'audit=false', 'fetch_retries=0'].map(
  (setting) => `npm_config_${setting}`,
)

export interface StrangersShell {
  cwd: string
  home: string
  /** Folders of programs that the stranger installed. */
  programs?: readonly string[]
  env?: Readonly<Record<string, string>>
}

/** Runs lines in a shell that knows nothing but the programs of the system. */
export function runAsStranger(
  lines: string,
  { cwd, home, programs = [], env = {} }: StrangersShell,
): ChildProcess {
  const path = [...new Set([...programs, ...strangersFolders, '/usr/bin', '/bin'])].join(delimiter)
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const all = [`PATH=${path}`, `HOME=${home}`, ...npmSettings, ...variables]
  const child = spawn('env', ['-i', ...all, 'sh', '-ec', lines], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that what the shell started can be stopped with it.
    detached: true,
  })
  killOnExit(child, true)
  return child
}

export async function ended(child: ChildProcess): Promise<{ code: number; stdout: string; stderr: string }> {
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('The process has no output to read.')
  const [out, err, [code]] = await Promise.all([text(stdout), text(stderr), once(child, 'close')])
  return { code, stdout: out, stderr: err }
}
