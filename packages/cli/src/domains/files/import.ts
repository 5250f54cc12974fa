import { ProblemError } from '@masthead/client/errors.ts'
import { listAll } from '@masthead/client/paginate.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { CommandError } from '../../errors/command-error.ts'
import { projectFlag } from '../../project/choose-project.ts'
import { confirm } from '../../terminal/ask.ts'
import { sanitize } from '../../terminal/layout.ts'
import { canonicalHostname } from '../hostname.ts'
import { type DomainVerb, inProject } from '../verb.ts'
import { leftOutLines, readImport } from './read-import.ts'
import { readTextFile } from './read-text-file.ts'

const largestFile = 256 * 1024

/** Adds the domains of a file, after showing them. */
export const importDomains: DomainVerb = {
  takes: ['FILE'],
  async run(context, [file = ''], values) {
    const { out, signal } = context
    const { names, leftOut } = readImport(file, await readTextFile(file, largestFile))
    for (const line of leftOutLines(leftOut)) out.note(out.noteStyle('yellow', line))
    const { client, params } = await inProject(context, values)
    const existing = await listAll(client.listDomains, { params, query: { limit: 100 }, signal })
    const has = new Set(existing.map(({ hostname }) => hostname))
    const isNew = (name: string) => !has.has(canonicalHostname(name))
    const wanted = names.filter(isNew)
    for (const name of names) {
      out.note(
        isNew(name) ? `${out.noteStyle('green', '+ add')} ${sanitize(name)}` : `  keep ${sanitize(name)}`,
      )
    }
    if (wanted.length === 0) {
      out.note(`${params.project} has all of them already.`)
      return { document: { added: [], failed: [], leftOut }, text: '' }
    }
    const count = wanted.length === 1 ? '1 domain' : `${wanted.length} domains`
    if (!(await confirm(`Add ${count} to ${params.project}?`, context))) {
      throw new CommandError('kept', 'No domain was added.', '')
    }
    const added: Domain[] = []
    const failed: { hostname: string; code: string; message: string }[] = []
    for (const hostname of wanted) {
      try {
        added.push(await client.addDomain({ params, body: { hostname }, signal }))
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error
        failed.push({ hostname, code: error.code, message: error.message })
        out.note(out.noteStyle('red', `${sanitize(hostname)}: ${sanitize(error.message, 1_000)}`))
      }
    }
    const also = projectFlag(values.project)
    if (added.length > 0)
      out.note(`Added ${added.length}. Their DNS records: masthead domains records${also}`)
    const failure =
      failed.length === 0
        ? {}
        : {
            failure: new CommandError(
              'import_incomplete',
              `${failed.length} could not be added.`,
              'See above.',
            ),
          }
    return { document: { added, failed, leftOut }, text: '', ...failure }
  },
}
