import type { Exit } from './exit-codes.ts'

/** Why a command cannot go on, found on this side: what is, and what to do about it. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  /** For programs that read `--json`. */
  readonly code: string
  readonly fix: string
  readonly exit: Exit

  constructor(code: string, message: string, fix: string, exit: Exit = 'failed', cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.fix = fix
    this.exit = exit
  }
}

export function usageError(message: string, fix: string): CommandError {
  return new CommandError('usage', message, fix, 'usage')
}

export function notSignedIn(server: string): CommandError {
  return new CommandError(
    'not_signed_in',
    `Nobody is signed in to ${server}.`,
    'Run `masthead login`, or set MASTHEAD_KEY.',
    'denied',
  )
}

/** The person pressed Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'

  constructor(message = 'Interrupted.') {
    super(message)
  }
}
