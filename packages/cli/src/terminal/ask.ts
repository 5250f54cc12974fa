import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { Interrupted, usageError } from '../errors/command-error.ts'
import { withoutControls } from './layout.ts'
import type { Output } from './output.ts'

/** The answer, or `suggestion` if it is empty. */
export async function ask(question: string, suggestion: string, signal: AbortSignal): Promise<string> {
  return readAnswer(withoutControls(question), suggestion, signal, process.stderr)
}

/** Nothing of what is typed is shown. */
export async function askSecret(question: string, signal: AbortSignal): Promise<string> {
  const show = () => void process.stderr.write(`${question} `)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  try {
    return await readAnswer('', '', signal, silent, show)
  } finally {
    process.stderr.write('\n')
  }
}

async function readAnswer(
  question: string,
  suggestion: string,
  signal: AbortSignal,
  output: NodeJS.WritableStream,
  /** Shows a question that readline does not: at first, and when the person is back after Ctrl-Z. */
  show: () => void = () => {},
): Promise<string> {
  const lines = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY })
  const stop = new AbortController()
  // readline receives Ctrl-C instead of the process.
  lines.on('SIGINT', () => stop.abort(new Interrupted()))
  // It pauses the input after Ctrl-Z, and nothing else would keep the process running.
  lines.on('SIGCONT', () => {
    lines.resume()
    show()
  })
  lines.on('close', () => stop.abort(new Interrupted()))
  // Only now: readline reads the keys itself, so that nothing typed is shown, and Ctrl-Z is its own.
  show()
  try {
    const hint = suggestion === '' ? '' : ` (${suggestion})`
    const answer = await lines.question(`${question}${hint} `, {
      signal: AbortSignal.any([signal, stop.signal]),
    })
    return answer.trim() || suggestion
  } catch (error) {
    signal.throwIfAborted()
    stop.signal.throwIfAborted()
    throw error
  } finally {
    lines.close()
  }
}

/** Asks before something irreversible. Without a terminal, `--yes` is required. */
export async function confirm(question: string, { yes, out, signal }: ConfirmOptions): Promise<boolean> {
  if (yes) return true
  if (!out.interactive)
    throw usageError(
      `${question} Nobody can answer: this is not a terminal.`,
      'Add --yes to continue without asking.',
    )
  return /^y(es)?$/i.test(await ask(`${question} [y/N]`, '', signal))
}

interface ConfirmOptions {
  yes: boolean
  out: Output
  signal: AbortSignal
}
