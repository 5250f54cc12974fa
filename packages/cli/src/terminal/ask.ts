import { createInterface } from 'node:readline/promises'
import { Interrupted, usageError } from '../errors/command-error.ts'
import type { Output } from './output.ts'

/** The person's answer, or `suggestion` when they only press Enter. */
export async function ask(question: string, suggestion: string, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const stop = new AbortController()
  // A terminal in line mode hands Ctrl-C to readline, not to the process.
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

/** Whether to go on with what cannot be taken back. Without a person, `--yes` has to say it. */
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
