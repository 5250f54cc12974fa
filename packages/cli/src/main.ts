import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import manifest from '../package.json' with { type: 'json' }
import type { Command } from './arguments/command.ts'
import { commandHelp, overview } from './arguments/help.ts'
import { type Parsed, parseArguments } from './arguments/parse.ts'
import { createContext } from './context.ts'
import { exitCodes, folderRemovedError, Interrupted, resultLostError } from './errors/command-error.ts'
import { describeFailure } from './errors/failure.ts'
import { asTyped, describeLaunch, type Launch } from './launch.ts'
import { newerServerNote } from './newer-server.ts'
import { projectFlag } from './project/choose-project.ts'
import { AnswerCheck, explainCrash } from './recognize-answer.ts'
import { Output } from './terminal/output.ts'

const version: string = manifest.version

/** Runs a command and returns the exit code. `program` is the file that was started. */
export async function main(process: NodeJS.Process, program: string): Promise<number> {
  const argv = process.argv.slice(2)
  const launch = describeLaunch({
    file: fileURLToPath(program),
    env: process.env,
    readText: (path) => readFileSync(path, 'utf8'),
  })
  const { stdin, stdout, stderr } = process
  const { unread, whenWritten } = watchOutputs(stdout, stderr)
  // Usage errors must respect --json too.
  const streams = { stdin, stdout, stderr, unread, asTyped: (text: string) => asTyped(text, launch) }
  let out = new Output({ ...streams, json: argv.includes('--json'), quiet: false })
  let also = ''
  const interruption = new AbortController()
  abortWhenInterrupted(process, interruption)
  try {
    const commands = await loadCommands(argv)
    const parsed = parseArguments(argv, commands)
    const { json = false, quiet = false } = parsed.values as { json?: boolean; quiet?: boolean }
    out = new Output({ ...streams, json, quiet })
    also = projectFlag(parsed.values.project)
    const failure = await perform(parsed, commands, launch, out, interruption.signal, process)
    if (failure !== undefined) return printFailure(failure, out, also)
    await whenWritten()
    return exitCodes.ok.code
  } catch (error) {
    const interrupted = interruption.signal.aborted && !(error instanceof Interrupted)
    return printFailure(interrupted ? interruption.signal.reason : error, out, also)
  }
}

/** A second signal within this many milliseconds is the same Ctrl-C: both the terminal and npx send it. */
const samePress = 500

/** The first signal aborts the command, which cleans up. The next one exits immediately. */
function abortWhenInterrupted(process: NodeJS.Process, interruption: AbortController): void {
  let first: number | null = null
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      first ??= performance.now()
      interruption.abort(new Interrupted())
      if (performance.now() - first > samePress) process.exit(exitCodes.interrupted.code)
    })
  }
}

/**
 * The reader may leave early, as in `masthead … | head -1`: the command goes on and keeps its exit code. It goes on as
 * well if the disk is full on which the outputs are kept, but fails in the end if its result is lost.
 */
function watchOutputs(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream) {
  const unread = new AbortController()
  let lost: NodeJS.ErrnoException | null = null
  // There is nowhere left to tell it.
  stderr.on('error', () => {})
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') lost ??= error
    unread.abort()
  })
  async function whenWritten(): Promise<void> {
    // Errors are reported after the write that they are of.
    await setImmediate()
    if (lost !== null) throw resultLostError(lost)
  }
  return { unread: unread.signal, whenWritten }
}

/** Most runs deploy, and loading all other commands would take a third of the time to start. */
async function loadCommands([first]: readonly string[]): Promise<readonly Command[]> {
  if (first === 'deploy') return [(await import('./commands/deploy.ts')).deploy]
  return (await import('./commands.ts')).commands
}

async function perform(
  parsed: Parsed,
  commands: readonly Command[],
  launch: Launch,
  out: Output,
  signal: AbortSignal,
  process: NodeJS.Process,
) {
  const { command, values, words } = parsed
  const heading = (text: string) => out.style('bold', text)
  if (values.version) return out.result(out.json ? JSON.stringify({ version }) : version)
  if (command === null) return out.result(overview(commands, heading, launch.command))
  if (values.help) return out.result(commandHelp(command, heading, launch.command))

  const cwd = currentFolder(process)
  let serverVersion: string | null = null
  const answers = new AnswerCheck()
  const context = await createContext({
    cwd,
    env: process.env,
    out,
    signal,
    yes: values.yes === true,
    server: (values.server as string | undefined) ?? command.serverIn?.(words),
    origin: launch.origin,
    answers,
    onVersion: (version) => {
      serverVersion = version
    },
    ignoresBrokenFile: command.ignoresBrokenFile === true,
    homes: [...(command.looksIn?.(words) ?? []).map((folder) => resolve(cwd, folder)), cwd],
  })
  const { document, text, failure } = await command.run(context, values, words).catch(async (error) => {
    throw await explainCrash(error, context.server, answers)
  })
  out.result(out.json ? (JSON.stringify(document, null, 2) ?? '') : out.asTyped(text))
  if (out.chatty) {
    const seen = { server: context.server, version: serverVersion, own: version }
    const note = newerServerNote({ ...seen, now: Date.now(), env: process.env })
    if (note !== null) out.note(note)
  }
  return failure
}

function currentFolder(process: NodeJS.Process): string {
  try {
    return process.cwd()
  } catch (error) {
    throw folderRemovedError(error)
  }
}

function printFailure(error: unknown, out: Output, also: string): number {
  const { exit, sentences, requestId, document } = describeFailure(error, also)
  if (out.json) {
    out.tell(JSON.stringify(document, null, 2))
  } else {
    const [what = '', ...then] = sentences
    out.tell([out.noteStyle('red', what), ...then].join('\n'))
    if (requestId !== null) out.tell(out.noteStyle('dim', `Request ${requestId}`))
  }
  // A connection that is still being tried would keep the process for seconds.
  if (exit === 'unreachable') setTimeout(() => process.exit(exitCodes.unreachable.code), 100).unref()
  return exitCodes[exit].code
}
