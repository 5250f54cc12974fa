export interface OperatorCommand {
  usage: string
  /** Resolves to what is said at the end. */
  run(): Promise<string>
  /** Their messages are for whoever runs it: no stack is shown. */
  faultsInWords: readonly (abstract new (
    ...input: never[]
  ) => Error)[]
}

/** A program beside the server that takes no arguments but `--help`. */
export async function runOperatorCommand({ usage, run, faultsInWords }: OperatorCommand): Promise<void> {
  const [asked] = process.argv.slice(2)
  if (asked === '--help' || asked === '-h') return void process.stdout.write(usage)
  try {
    if (asked !== undefined) return fail(`It takes no ${asked}. See --help.`)
    process.stdout.write(`${await run()}\n`)
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    fail(faultsInWords.some((kind) => error instanceof kind) ? message : stack)
  }
}

function fail(words = ''): void {
  process.stderr.write(`${words}\n`)
  process.exitCode = 1
}
