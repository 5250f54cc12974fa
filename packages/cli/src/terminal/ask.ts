import { createInterface } from 'node:readline/promises'
import { Interrupted, usageError } from '../errors/command-error.ts'
import type { Output } from './output.ts'

/** The answer, or `suggestion` if it is empty. */
export async function ask(question: string, suggestion: string, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const stop = new AbortController()
  // readline receives Ctrl-C instead of the process.
  lines.on('SIGINT', () => stop.abort(new Interrupted()))
  lines.on('close', () => stop.abort(new Interrupted()))
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
