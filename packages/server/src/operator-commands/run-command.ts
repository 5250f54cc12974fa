export interface OperatorCommand {
  usage: string
  /** Resolves to the message that is printed at the end. */
  run(): Promise<string>
  /** Their messages are for the operator, without a stack. */
  operatorErrors: readonly (abstract new (
    ...input: never[]
  ) => Error)[]
}

/** Runs a program that takes no arguments but `--help`. */
export async function runOperatorCommand({ usage, run, operatorErrors }: OperatorCommand): Promise<void> {
  const [argument] = process.argv.slice(2)
  if (argument === '--help' || argument === '-h') return void process.stdout.write(usage)
  try {
    if (argument !== undefined) return fail(`Unknown argument ${argument}. See --help.`)
    process.stdout.write(`${await run()}\n`)
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    fail(operatorErrors.some((kind) => error instanceof kind) ? message : stack)
  }
}

function fail(message = ''): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}
