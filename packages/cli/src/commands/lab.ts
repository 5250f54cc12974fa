import { ProblemError } from '@masthead/client/errors.ts'
import { listAll } from '@masthead/client/paginate.ts'
import { labRecordTypes } from '@masthead/contract/lab-record-types.ts'
import type { LabRecord, LabRecordType } from '@masthead/contract/schemas/lab.ts'
import { type CommandResult, command } from '../arguments/command.ts'
import { type RunVerb, runVerb } from '../arguments/verbs.ts'
import type { CommandContext } from '../context.ts'
import { parseHostname } from '../domains/hostname.ts'
import { CommandError, usageError } from '../errors/command-error.ts'
import { alignColumns } from '../terminal/layout.ts'

const example = 'www.acme.localhost'
/** Verb, name and type, and up to 20 values. */
const mostWords = 3 + 20

const options = {
  ttl: {
    type: 'string',
    value: 'SECONDS',
    help: 'set: seconds that resolvers may cache the record (default: 60)',
  },
} as const

export const lab = command({
  name: 'lab',
  summary: 'Set DNS records on your own machine, to try domains without owning one',
  usage: ['lab', 'lab set NAME TYPE VALUE… [--ttl SECONDS]', 'lab remove NAME TYPE'],
  about: [
    'A server on your own machine runs its own DNS for every name under .localhost and checks domains there.\n' +
      'So you can try custom domains offline: add www.acme.localhost to a project, set its record here as you would\n' +
      'at your DNS provider, verify it, and open it in the browser.',
    `Supported types: ${labRecordTypes.join(', ')}. Setting a type replaces its values.\n` +
      'Everyone with a key for the server shares the lab.',
  ],
  options,
  examples: [
    ['masthead lab', 'list all records'],
    [
      'masthead lab set www.acme.localhost CNAME k3v9x2m1qp.cname.masthead.localhost',
      'point a name to a project',
    ],
    [
      'masthead lab set acme.localhost ALIAS k3v9x2m1qp.cname.masthead.localhost',
      'the same for an apex domain',
    ],
    [`masthead lab set acme.localhost CAA '0 issue "letsencrypt.org"'`, 'quote values with spaces'],
    ['masthead lab remove www.acme.localhost CNAME', 'remove a record'],
  ],
  words: mostWords,
  run: (context, values, words) => runVerb({ command: 'lab', options, verbs }, context, values, words),
})

interface LabValues {
  readonly ttl?: string
}

const verbs: Record<string, RunVerb<LabValues>> = {
  list: { takes: [], run: listRecords },
  set: { takes: ['NAME', 'TYPE', 'VALUE…'], options: ['ttl'], run: setRecord },
  remove: { takes: ['NAME', 'TYPE'], run: removeRecord },
}

async function listRecords(context: CommandContext): Promise<CommandResult> {
  const { out, signal } = context
  const client = await context.signedIn()
  const found = await listAll(client.listLabRecords, { query: { limit: 100 }, signal })
  if (found.length === 0) out.note('No records yet. Set one with `masthead lab set NAME TYPE VALUE`.')
  return { document: found, text: recordLines(context, found) }
}

async function setRecord(
  context: CommandContext,
  [word = '', typed = '', ...rest]: readonly string[],
  { ttl }: LabValues,
): Promise<CommandResult> {
  const name = parseHostname(word, example)
  const type = typeOf(typed)
  const body = { values: valuesOf(type, rest), ...(ttl === undefined ? {} : { ttl: secondsOf(ttl) }) }
  const client = await context.signedIn()
  const record = await client.setLabRecord({ params: { name, type }, body, signal: context.signal })
  return { document: record, text: recordLines(context, [record]) }
}

async function removeRecord(
  context: CommandContext,
  [word = '', typed = '']: readonly string[],
): Promise<CommandResult> {
  const name = parseHostname(word, example)
  const type = typeOf(typed)
  const client = await context.signedIn()
  await client.removeLabRecord({ params: { name, type }, signal: context.signal }).catch((error: unknown) => {
    if (!(error instanceof ProblemError) || error.code !== 'not_found') throw error
    throw new CommandError(
      'not_found',
      error.detail,
      'Run `masthead lab` to list the records.',
      'failed',
      error,
    )
  })
  context.out.note(`Removed the ${type} record of ${name}.`)
  return { document: { removed: { name, type } }, text: '' }
}

function recordLines({ out }: CommandContext, records: readonly LabRecord[]): string {
  const rows = records.flatMap(({ name, type, values, ttl }) =>
    values.map((value) => [out.style('bold', name), type, value, out.style('dim', `TTL ${ttl}`)]),
  )
  return alignColumns(rows).join('\n')
}

function typeOf(text: string): LabRecordType {
  const type = labRecordTypes.find((name) => name === text.toUpperCase())
  if (type) return type
  throw usageError(
    `The lab has no records of type "${text}".`,
    `Supported types: ${labRecordTypes.join(', ')}.`,
  )
}

/** An unquoted CAA record arrives as three arguments. */
function valuesOf(type: LabRecordType, words: readonly string[]): string[] {
  return type === 'CAA' && /^\d+$/.test(words[0] ?? '') ? [words.join(' ')] : [...words]
}

function secondsOf(text: string): number {
  const seconds = Number(text)
  if (/^\d{1,5}$/.test(text) && seconds <= 86_400) return seconds
  throw usageError(`--ttl ${text} is not a number of seconds.`, 'Use a number from 0 to 86400.')
}
