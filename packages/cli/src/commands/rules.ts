import { readFile } from 'node:fs/promises'
import { defaultUploadLimits } from '@masthead/contract/deployments.ts'
import { formatLocation } from '@masthead/contract/site-rules/findings.ts'
import type { ReadRules } from '@masthead/contract/site-rules/read-site-rules.ts'
import { type RuleFile, ruleFiles, sizeExcess } from '@masthead/contract/site-rules/rules.ts'
import { type CommandResult, command } from '../arguments/command.ts'
import { type RunVerb, runVerb } from '../arguments/verbs.ts'
import type { CommandContext } from '../context.ts'
import { throwReadError } from '../deploy/changed-folder.ts'
import { listFolder } from '../deploy/list-files.ts'
import { assertFolder, folderToPublish } from '../deploy/published-folder.ts'
import { rulesToSend, withRules } from '../deploy/rule-files.ts'
import { CommandError } from '../errors/command-error.ts'
import { formatCount } from '../terminal/format.ts'
import { sanitize } from '../terminal/layout.ts'
import { type ExplainOptions, explain } from './explain-rules.ts'

const options = {
  deployment: { type: 'string', value: 'ID', help: 'explain this deployment instead of the live one' },
  language: { type: 'string', value: 'TAG', help: 'explain for a visitor with this language, such as de' },
  country: { type: 'string', value: 'CODE', help: 'explain for a visitor in this country, such as at' },
} as const

const verbs: Record<string, RunVerb<ExplainOptions>> = {
  check: { takes: ['[folder]'], run: (context, [folder]) => check(context, folder) },
  explain: {
    takes: ['address'],
    options: Object.keys(options),
    run: (context, [address = ''], values) => explain(context, address, values),
  },
}

export const rules = command({
  name: 'rules',
  summary: 'Check redirects and headers, and see how they apply',
  usage: ['rules check [folder]', 'rules explain address'],
  about: [
    'check reads _redirects, _headers and the rules of the project file, netlify.toml and vercel.json as the\nserver does when the folder is published, and lists every line that cannot be used or does not do what it\nseems to. Nothing is sent. It exits with 1 if a line is not used at all.',
    'explain asks the server which rule or file of your site answers an address, which headers come from which\nrule, what asks for a password, and which rules did not apply.',
  ],
  options,
  examples: [
    ['masthead rules check ./dist', 'check a folder before publishing it'],
    ['masthead rules explain https://acme.com/old', 'say which rule or file answers, and why'],
  ],
  words: 2,
  looksIn: ([verb, folder]) => (verb === 'explain' || folder === undefined ? [] : [folder]),
  run: (context, values, words) =>
    runVerb({ command: 'rules', options, verbs, usual: 'check' }, context, values, words),
})

async function check(context: CommandContext, word: string | undefined): Promise<CommandResult> {
  const folder = folderToPublish(context, word)
  await assertFolder(folder)
  const listed = await listFolder(folder, defaultUploadLimits)
  const files = withRules(listed, await rulesToSend(context, listed))
  const paths = new Set(files.map(({ path }) => path))
  const contents = new Map<RuleFile, Uint8Array>()
  for (const path of ruleFiles) {
    const file = files.find((one) => one.path === path)
    if (file === undefined) continue
    // Of a file that is too large, its size is enough.
    const isTooLarge = sizeExcess(path, file.size) !== null
    contents.set(
      path,
      file.content ??
        (isTooLarge
          ? new Uint8Array(file.size)
          : await readFile(file.location).catch((error) => throwReadError(file.path.slice(1), error))),
    )
  }
  // Loaded on demand: parsers and schemas take longer to load than most commands run.
  const { readSiteRules } = await import('@masthead/contract/site-rules/read-site-rules.ts')
  const read = readSiteRules(contents, (path) => paths.has(path), { files: paths })
  const { rules, findings, excess } = read
  const { redirects, headers, settings = [] } = rules
  const counts = { redirects: redirects.length, headers: headers.length, settings: settings.length }
  return { document: { ...counts, diagnostics: findings, excess }, text: textOf(read), ...failureOf(read) }
}

function textOf({ rules, findings, excess }: ReadRules): string {
  const lines = findings.map((one) =>
    sanitize(`${formatLocation(one)}: ${one.level === 'error' ? 'not used. ' : ''}${one.message}`, 500),
  )
  if (excess !== null) lines.push(excess)
  const { redirects, headers, settings = [] } = rules
  const counts = [
    formatCount(redirects.length, 'redirect'),
    `headers for ${formatCount(headers.length, 'path')}`,
    ...(settings.length > 0 ? [formatCount(settings.length, 'setting')] : []),
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
