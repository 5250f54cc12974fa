/** docs/cli.md and `masthead --help` show this table. */
export const exitCodes = {
  ok: { code: 0, meaning: 'success' },
  failed: { code: 1, meaning: 'the command failed, or the check found a problem' },
  usage: { code: 2, meaning: 'invalid usage' },
  denied: { code: 3, meaning: 'not signed in, or not permitted' },
  unreachable: { code: 4, meaning: 'the server cannot be reached' },
  interrupted: { code: 130, meaning: 'interrupted' },
} as const

export type Exit = keyof typeof exitCodes

/** An error found by the command line itself: what happened and what to do. */
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

export function notSignedInError(server: string): CommandError {
  return new CommandError(
    'not_signed_in',
    `You are not signed in to ${server}.`,
    `Run \`masthead login ${server}\`, or set MASTHEAD_KEY.`,
    'denied',
  )
}

export function serverNotChosenError(secret: string, server: string, file: string): CommandError {
  return new CommandError(
    'server_not_chosen',
    `${secret} was not sent to ${server}: only ${file} names this server, and the author of that file would get it.`,
    `If you trust this server, set MASTHEAD_SERVER=${server}, or add --server ${server}.`,
    'denied',
  )
}

export function otherVersionError(
  server: string,
  version: string,
  own: string,
  cause: unknown,
): CommandError {
  return new CommandError(
    'unexpected_answer',
    `${server} is Masthead ${version} and answered otherwise than this command line, ${own}, expects.`,
    `Use the command line that the server offers: see ${server}/cli. If it fails too, update the server.`,
    'failed',
    cause,
  )
}

export function resultLostError(cause: NodeJS.ErrnoException): CommandError {
  return new CommandError(
    'result_lost',
    `The command was carried out, but its result could not be written (${cause.code}).`,
    'Free some space, or send standard output to another place.',
    'failed',
    cause,
  )
}

export function folderRemovedError(cause: unknown): CommandError {
  return new CommandError(
    'folder_removed',
    'The current folder was removed or replaced while your shell was in it.',
    'Enter it again with `cd "$PWD"`, then repeat the command.',
    'failed',
    cause,
  )
}

/** The person pressed Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'

  constructor(message = 'Interrupted.') {
    super(message)
  }
}
