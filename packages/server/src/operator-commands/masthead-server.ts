import { closestMatch } from '@masthead/contract/text/closest-match.ts'
import type { OperatorCommand } from './operator-command.ts'
import { exitCodes, type ProcessIo, runCommand } from './run-command.ts'

/** Every subcommand, in the order of `--help`. Loaded when it runs: each needs other parts of the server. */
export const operatorCommands: readonly {
  name: string
  /** One line for the overview. */
  summary: string
  load(): Promise<OperatorCommand>
}[] = [
  {
    name: 'move',
    summary: 'move this installation from SQLite to PostgreSQL, and its files to S3',
    load: async () => (await import('./move.ts')).moveCommand,
  },
  {
    name: 'backup',
    summary: 'back up the database and the files while the server runs',
    load: async () => (await import('./backup.ts')).backupCommand,
  },
  {
    name: 'restore',
    summary: 'restore a backup into an empty installation',
    load: async () => (await import('./restore.ts')).restoreCommand,
  },
  {
    name: 'verify',
    summary: 'check that a backup is complete and undamaged',
    load: async () => (await import('./verify.ts')).verifyCommand,
  },
  {
    name: 'use-store',
    summary: 'let the database go on with the files that the settings lead to',
    load: async () => (await import('./files/use-store.ts')).useStoreCommand,
  },
  {
    name: 'check-files',
    summary: 'find missing and damaged files of sites, and let them be published again',
    load: async () => (await import('./files/check-files.ts')).checkFilesCommand,
  },
  {
    name: 'rotate-master-key',
    summary: 'replace the master key that private keys are sealed with',
    load: async () => (await import('./rotate-master-key.ts')).rotateMasterKeyCommand,
  },
  {
    name: 'replace-operator-key',
    summary: 'replace the operator key',
    load: async () => (await import('./replace-operator-key.ts')).replaceOperatorKeyCommand,
  },
  {
    name: 'change-account-key',
    summary: "replace the key of the server's account at the certificate authority",
    load: async () => (await import('./change-account-key.ts')).changeAccountKeyCommand,
  },
  {
    name: 'replace-ca-account',
    summary: 'register a new account at a certificate authority that refuses the old one',
    load: async () => (await import('./replace-ca-account.ts')).replaceCaAccountCommand,
  },
  {
    name: 'doctor',
    summary: 'check what breaks installations, and say how to fix it',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
]

/** Runs the subcommand that the arguments name, and returns the exit code. */
export async function main(given: readonly string[], io: ProcessIo): Promise<number> {
  const { stdout, stderr } = io
  const [name, ...args] = given[0] === 'help' ? [...given.slice(1), '--help'] : given
  if (name === undefined || name.startsWith('-')) {
    const isAsked = name === '--help' || name === '-h'
    ;(isAsked ? stdout : stderr).write(overview())
    return isAsked ? exitCodes.done : exitCodes.misused
  }
  const command = operatorCommands.find((one) => one.name === name)
  if (command !== undefined) return runCommand(await command.load(), args, io)
  const meant = closestMatch(
    name,
    operatorCommands.map((one) => one.name),
  )
  const advice = meant === null ? 'See: npx masthead-server --help' : `Did you mean ${meant}?`
  stderr.write(`Unknown command ${JSON.stringify(name)}. ${advice}\n`)
  return exitCodes.misused
}

function overview(): string {
  const width = Math.max(...operatorCommands.map(({ name }) => name.length))
  const lines = operatorCommands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)
  return `masthead-server does what an operator does next to the server.

${lines.join('\n')}

Run it in the server's folder with the server's settings. For more about a command:
  npx masthead-server <command> --help
`
}
