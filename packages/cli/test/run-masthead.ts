import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { commandLineProgram } from '@masthead/testing/programs.ts'

/** Shared, so that only the first run compiles. */
const cache = fileURLToPath(new URL('../../../node_modules/.cache', import.meta.url))
export const program = commandLineProgram

export interface Run {
  exitCode: number | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  cwd: string
  /** Undefined removes a variable. */
  env?: Record<string, string | undefined>
  /** A command that starts the command given to it. */
  under?: readonly string[]
  input?: string
}

const environmentOf = ({ cwd, env }: RunOptions) => ({
  PATH: process.env.PATH,
  HOME: cwd,
  XDG_CONFIG_HOME: `${cwd}/.config`,
  XDG_CACHE_HOME: cache,
  ...env,
})

/** Runs the command line as a process without a terminal. */
export async function runMasthead(args: readonly string[], options: RunOptions): Promise<Run> {
  const { cwd, under = [] } = options
  const [command = '', ...rest] = [...under, process.execPath, program, ...args]
  const child = spawn(command, rest, { cwd, env: environmentOf(options) })
  child.stdin.end(options.input ?? '')
  return collect(child)
}

/** Why tests with other rights are skipped, or false. */
export const cannotChangeRights = process.getuid?.() === 0 ? false : 'needs root'

/** As a user for whom permissions count. Root can read and write everything otherwise. */
export const withoutPrivileges = [
  ...['setpriv', '--inh-caps=-all', '--bounding-set=-dac_override,-dac_read_search,-fowner'],
]

/** Somebody who has no files and no privileges. */
export const otherUser = 65_533

/** As a user without an entry in the passwd file, who may read this repository wherever it is. */
export const asUnknownUser = [
  ...['setpriv', `--reuid=${otherUser}`, '--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search'],
]

/** Starts it as a process without a terminal, where nobody reads these outputs, as in `masthead … | true`. */
export function startUnread(
  args: readonly string[],
  options: RunOptions,
  unread: readonly ('stdout' | 'stderr')[],
): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [program, ...args], { cwd: options.cwd, env: environmentOf(options) })
  for (const output of unread) child[output].destroy()
  return child
}

/** Why tests at a terminal are skipped, or false. */
export const noTerminal = process.platform === 'linux' ? false : 'needs `script` of util-linux'

/** Runs it at a terminal, where both outputs are one and `input` is typed. */
export async function runAtTerminal(args: readonly string[], options: RunOptions): Promise<Run> {
  const quoted = [process.execPath, program, ...args].map((arg) => `'${arg}'`).join(' ')
  const child = spawn('script', ['--quiet', '--return', '--command', quoted, '/dev/null'], {
    cwd: options.cwd,
    env: { TERM: 'xterm', ...environmentOf(options) },
  })
  child.stdin.write(options.input ?? '')
  const run = await collect(child)
  child.stdin.destroy()
  return run
}

async function collect(child: ReturnType<typeof spawn>): Promise<Run> {
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('The process has no output to read.')
  const [out, err] = await Promise.all([text(stdout), text(stderr), once(child, 'close')])
  return { exitCode: child.exitCode, stdout: out, stderr: err }
}
