import { basename } from 'node:path'
import { importedNames } from '@masthead/contract/domains/imported-names.ts'
import { CommandError } from '../../errors/command-error.ts'

/** More would be a wrong file: plans have at most some hundred domains per project. */
const mostNames = 1_000

/** The hostnames that a file names, at least one. */
export function readImport(file: string, text: string): string[] {
  let names: string[]
  try {
    names = importedNames(basename(file), text)
  } catch (cause) {
    const message = `${file} cannot be read: ${firstLine(cause)}`
    throw new CommandError('import_unreadable', message, 'Correct the file.', 'failed', cause)
  }
  if (names.length === 0) {
    throw new CommandError('import_empty', `${file} names no domain.`, whereFrom(basename(file)))
  }
  if (names.length > mostNames) {
    const message = `${file} has ${names.length} names, more than ${mostNames}.`
    throw new CommandError('import_too_long', message, 'Check the file.')
  }
  return names
}

function firstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''
}

function whereFrom(file: string): string {
  return file === 'netlify.toml'
    ? 'Netlify keeps domains in its dashboard, under Domain management. Write them into a file, one on each line.'
    : 'Write the domains into a file, one on each line.'
}
