import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { closestMatch } from '@masthead/contract/closest-match.ts'
import { defaultUploadLimits } from '@masthead/contract/deployments.ts'
import { type ReadRules, readSiteRules } from '@masthead/contract/site-rules/read-site-rules.ts'
import { headersFile, redirectsFile, sizeExcess } from '@masthead/contract/site-rules/rules.ts'
import { assertUsage, type CommandResult, command } from '../arguments/command.ts'
import type { CommandContext } from '../context.ts'
import { listFolder } from '../deploy/list-files.ts'
import { assertFolder, folderToPublish } from '../deploy/published-folder.ts'
import { CommandError, usageError } from '../errors/command-error.ts'
import { formatCount } from '../terminal/format.ts'
import { sanitize } from '../terminal/layout.ts'

export const rules = command({
  name: 'rules',
  summary: 'Check the redirects and headers of a folder',
  usage: ['rules check [folder]'],
  about: [
    'Reads _redirects and _headers as the server does when the folder is published, and lists every line that cannot\nbe used or does not do what it seems to. Nothing is sent. It exits with 1 if a line is not used at all.',
  ],
  options: {},
  examples: [['masthead rules check ./dist', 'check a folder before publishing it']],
  words: 2,
  looksIn: ([, folder]) => (folder === undefined ? [] : [folder]),
  async run(context, values, [name = 'check', ...words]) {
    if (name === 'check') {
      assertUsage({ takes: ['[folder]'] }, { name: 'rules check', words, values }, {})
      return check(context, words[0])
    }
    const meant = closestMatch(name, ['check'])
    throw usageError(
      `There is no \`masthead rules ${name}\`.`,
      meant ? `Did you mean \`masthead rules ${meant}\`?` : 'See `masthead rules --help`.',
    )
  },
})

async function check(context: CommandContext, word: string | undefined): Promise<CommandResult> {
  const folder = folderToPublish(context, word)
  await assertFolder(folder)
  const files = new Map((await listFolder(folder, defaultUploadLimits)).map(({ path, size }) => [path, size]))
  const tooLarge =
    sizeExcess(redirectsFile, files.get(redirectsFile) ?? 0) ??
    sizeExcess(headersFile, files.get(headersFile) ?? 0)
  const contents =
    tooLarge === null
      ? { redirects: await contentOf(folder, redirectsFile), headers: await contentOf(folder, headersFile) }
      : {}
  const read = {
    ...readSiteRules(contents, (path) => files.has(path)),
    ...(tooLarge !== null && { excess: tooLarge }),
  }
  const { rules, findings, excess } = read
  const counts = { redirects: rules.redirects.length, headers: rules.headers.length }
  return { document: { ...counts, diagnostics: findings, excess }, text: textOf(read), ...failureOf(read) }
}

/** Undefined if there is none. */
async function contentOf(folder: string, path: string): Promise<Uint8Array | undefined> {
  return readFile(join(folder, path)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'EISDIR') return undefined
    throw error
  })
}

function textOf({ rules, findings, excess }: ReadRules): string {
  const lines = findings.map(({ file, line, level, message }) => {
    const place = line === null ? file.slice(1) : `${file.slice(1)} line ${line}`
    return sanitize(`${place}: ${level === 'error' ? 'not used. ' : ''}${message}`, 500)
  })
  if (excess !== null) lines.push(excess)
  const { redirects, headers } = rules
  const counts = [
    formatCount(redirects.length, 'redirect'),
    `headers for ${formatCount(headers.length, 'path')}`,
  ]
  return [...lines, counts.join(', ')].join('\n')
}

function failureOf({ findings, excess }: ReadRules): Pick<CommandResult, 'failure'> {
  const unused = findings.filter(({ level }) => level === 'error').length
  if (excess === null && unused === 0) return {}
  const message =
    excess === null
      ? `${formatCount(unused, 'line')} cannot be used.`
      : 'The server would refuse this folder.'
  return { failure: new CommandError('rules_invalid', message, 'Fix what is listed above.') }
}
