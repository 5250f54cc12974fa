import { parse, TomlError } from 'smol-toml'
import { z } from 'zod'
import type { MemberPath } from '../../project-file/member-path.ts'
import { decodeText } from '../../text/decode-text.ts'
import type { Steps } from '../checks/in-steps.ts'
import { type RedirectRule, ruleStatuses } from '../rules.ts'
import { noFunctions } from '../target.ts'
import { addCondition } from './conditions.ts'
import { addHeaderEntries } from './header-entries.ts'
import type { RuleCollector } from './rule-collector.ts'
import { RuleSource } from './rule-source.ts'

/** Of inline objects and lists. */
const maxDepth = 20

const texts = z.union([z.string(), z.array(z.string())])

/** With the other names that Netlify accepts. */
const redirect = z.object({
  from: z.string().optional(),
  origin: z.string().optional(),
  to: z.string().optional(),
  destination: z.string().optional(),
  status: z.number().default(301),
  force: z.boolean().default(false),
  query: z.record(z.string(), z.string()).optional(),
  params: z.record(z.string(), z.string()).optional(),
  parameters: z.record(z.string(), z.string()).optional(),
  conditions: z.record(z.string(), texts).default({}),
  headers: z.unknown().optional(),
  signed: z.unknown().optional(),
})

const isPlain = (value: unknown) => typeof value === 'number' || typeof value === 'boolean'

const headers = {
  entry: z.object({ for: z.string(), values: z.record(z.string(), z.unknown()) }),
  // Netlify takes no numbers either.
  value: z
    .union([z.string(), z.array(z.string())], {
      error: ({ input }) => `is not a text${isPlain(input) ? '; put it in quotes' : ' or a list of texts'}`,
    })
    .transform((given) => [given].flat().map(onOneLine)),
}

/** Line by line: a regular expression would take minutes for a long row of blanks. */
function onOneLine(value: string): string {
  const lines = value.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '').join(' ')
}

const elsewhere: ReadonlyMap<string, string> = new Map([
  ['functions', noFunctions],
  ['edge_functions', 'Edge functions do not run here: this server has files only.'],
  ['images', 'Images are not transformed here.'],
])

/** Reads the redirects and headers of netlify.toml. What it says about the build was done by then. */
export function* readNetlifyFile(content: Uint8Array, file: string, rules: RuleCollector): Steps {
  const text = decodeText(content)
  const members = parseToml(text, file, rules)
  if (members === null) return
  rules.reportLostText(file, text)
  const source = new RuleSource(file, members, tomlLines(text, members), rules)
  for (const [name, message] of elsewhere) {
    if (name in members) source.report('warning', [name], message)
  }
  for (const [path, entry] of source.entriesOf('redirects', redirect)) {
    const rule = redirectOf(entry, source, path)
    if (typeof rule === 'string') source.report('error', path, rule)
    else rules.redirects.add({ ...source.placeOf(path), ...rule })
    yield
  }
  yield* addHeaderEntries(source, headers)
}

function parseToml(text: string, file: string, rules: RuleCollector): Record<string, unknown> | null {
  try {
    return parse(text, { maxDepth, unsafeKeyBehaviour: 'drop' })
  } catch (error) {
    const line = error instanceof TomlError ? error.line : null
    const message = `${file.slice(1)} is not valid TOML. Fix it: nothing of it is used.`
    rules.reportUnread(file, line, message, text)
    return null
  }
}

/** Returns why it cannot be used. */
function redirectOf(
  entry: z.infer<typeof redirect>,
  source: RuleSource,
  path: MemberPath,
): Omit<RedirectRule, 'file' | 'line'> | string {
  const { from = entry.origin, to = entry.destination, conditions } = entry
  if (from === undefined) return '"from" is missing.'
  if (to === undefined) return '"to" is missing.'
  const status = ruleStatuses.find((one) => one === entry.status)
  if (status === undefined) {
    return `The status ${entry.status} is not supported. Use ${ruleStatuses.join(', ')}.`
  }
  const rule: Omit<RedirectRule, 'file' | 'line'> = { from, to, status, ...(entry.force && { force: true }) }
  const query = Object.entries(entry.query ?? entry.params ?? entry.parameters ?? {})
  if (query.length > 0) rule.query = query
  for (const [name, given] of Object.entries(conditions)) {
    const problem = addCondition(rule, name, [given].flat())
    if (problem !== null) return problem
  }
  if (entry.headers !== undefined || entry.signed !== undefined) {
    source.report(
      'warning',
      path,
      'headers and signed are for proxies, which are not supported. They are not used.',
    )
  }
  return rule
}

/** The lines of `[[redirects]]` and `[[headers]]`. The parser does not tell them, so a form that does not show them has none. */
function tomlLines(
  text: string,
  members: Readonly<Record<string, unknown>>,
): (member: string, entry?: number) => number | null {
  const lines = new Map<string, number[]>()
  for (const [at, line] of text.split('\n').entries()) {
    const name = /^\s*\[\[?\s*["']?([\w-]+)["']?\s*[\].]/.exec(line)?.[1]
    const isEntry = /^\s*\[\[[^.]*\]\]/.test(line)
    if (name === undefined || (!isEntry && lines.has(name))) continue
    const known = lines.get(name)
    if (known === undefined) lines.set(name, [at + 1])
    else known.push(at + 1)
  }
  return (member, entry) => {
    const found = lines.get(member) ?? []
    const list = members[member]
    if (entry === undefined) return found[0] ?? null
    return Array.isArray(list) && list.length === found.length ? (found[entry] ?? null) : null
  }
}
