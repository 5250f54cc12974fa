import { basename } from 'node:path'
import { type ImportedNames, importedNames } from '@masthead/contract/domains/imported-names.ts'
import { CommandError } from '../../errors/command-error.ts'
import { sanitize } from '../../terminal/layout.ts'

/** More would be a wrong file: plans have at most some hundred domains per project. */
const mostNames = 1_000

/** The hostnames that a file names, at least one, and what else it has. */
export function readImport(file: string, text: string): ImportedNames {
  let found: ImportedNames
  try {
    found = importedNames(basename(file), text)
  } catch (cause) {
    const message = `${file} cannot be read: ${firstLine(cause)}`
    throw new CommandError('import_unreadable', message, 'Correct the file.', 'failed', cause)
  }
  const { names, leftOut } = found
  if (names.length === 0) {
    const message = [`${file} names no domain.`, ...leftOutLines(leftOut)].join('\n')
    throw new CommandError('import_empty', message, whereFrom(basename(file)))
  }
  if (names.length > mostNames) {
    const message = `${file} has ${names.length} names, more than ${mostNames}.`
    throw new CommandError('import_too_long', message, 'Check the file.')
  }
  return found
}

const maxLeftOutShown = 20

/** A sentence for each entry that is not imported. */
export function leftOutLines(leftOut: ImportedNames['leftOut']): string[] {
  const shown = leftOut.slice(0, maxLeftOutShown).map(({ text, line }) => {
    const where = line === null ? '' : `line ${line}, `
    return `Left out: ${where}"${sanitize(text)}". A domain has a dot.`
  })
  const more = leftOut.length - shown.length
  return more > 0 ? [...shown, `… and ${more} more.`] : shown
}

function firstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''
}

function whereFrom(file: string): string {
  return file === 'netlify.toml'
    ? 'Netlify keeps domains in its dashboard, under Domain management. Write them into a file, one on each line.'
    : 'Write the domains into a file, one on each line.'
}
