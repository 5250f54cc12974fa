import { decodeText } from '../text/decode-text.ts'
import { runSteps, type Steps } from './checks/in-steps.ts'
import { longHeadExcess } from './checks/long-heads.ts'
import { findCycles } from './checks/redirect-cycles.ts'
import { findUnusedProtections } from './checks/unused-protections.ts'
import type { RuleFinding } from './findings.ts'
import { isStatic } from './pattern.ts'
import { fileOf, type ParsedRedirect } from './redirect-list.ts'
import { excerpt } from './rule-lines.ts'
import {
  headersFile,
  type RuleFile,
  redirectsFile,
  ruleFiles,
  type SiteRules,
  sizeExcess,
  withheldText,
} from './rules.ts'
import { readMastheadFile } from './sources/masthead-file.ts'
import { readNetlifyFile } from './sources/netlify-file.ts'
import { readHeaders } from './sources/parse-headers.ts'
import { readRedirects } from './sources/parse-redirects.ts'
import type { PlainProtection } from './sources/protection-list.ts'
import { RuleCollector, type SiteFacts } from './sources/rule-collector.ts'
import { readVercelFile } from './sources/vercel-file.ts'

/** The contents of the rules files that a site has. */
export type RuleFileContents = ReadonlyMap<RuleFile, Uint8Array>

export interface ReadRules {
  rules: SiteRules
  /** With passwords, which are hashed before anything is stored. */
  protections: readonly PlainProtection[]
  findings: RuleFinding[]
  /** Set if a limit is exceeded, which is no reason to serve the site with half of its rules. */
  excess: string | null
}

const noWorkers =
  'Workers do not run here: this server has files only. Visitors get the files of the site, and never this one.'
const publicFunction =
  'Functions do not run here, and visitors can read this file. Publish the site without the folder.'

/** Files that configure a site elsewhere, or run there, and what to do instead. */
export const unreadFiles: ReadonlyMap<string, string> = new Map([
  ['/CNAME', 'CNAME has no effect here. Add the domain to the project instead.'],
  ['/_worker.js', noWorkers],
  ['/_worker.js/index.js', noWorkers],
  ['/_routes.json', '_routes.json has no effect here: it says which paths a worker answers.'],
  // Other files of the folder may be pages or scripts of the site.
  ...['_middleware.js', '_middleware.ts', '[[path]].js', '[[path]].ts'].map(
    (name) => [`/functions/${name}`, publicFunction] as const,
  ),
])

/** How the rules of each file are read. */
const readers: Record<RuleFile, (content: Uint8Array, file: RuleFile, rules: RuleCollector) => Steps> = {
  '/masthead.json': readMastheadFile,
  '/masthead.yaml': readMastheadFile,
  '/masthead.yml': readMastheadFile,
  [redirectsFile]: (content, _, { redirects }) => readRedirects(content, redirects),
  [headersFile]: (content, _, { headers, protections, findings }) =>
    readHeaders(content, headers, protections, findings),
  '/netlify.toml': readNetlifyFile,
  '/vercel.json': readVercelFile,
}

/** All at once. */
export function readSiteRules(...given: Parameters<typeof readSiteRulesInSteps>): ReadRules {
  return runSteps(readSiteRulesInSteps(...given))
}

/** Reads the rules of a site and compares them with its files and with what else is known about it. */
export function* readSiteRulesInSteps(
  files: RuleFileContents,
  hasFile: (path: string) => boolean,
  facts: SiteFacts = {},
): Steps<ReadRules> {
  const collector = new RuleCollector(hasFile, facts)
  const { findings } = collector
  for (const file of ruleFiles) {
    const content = files.get(file)
    if (content === undefined) continue
    const excess = sizeExcess(file, content.byteLength) ?? collector.excess
    if (excess !== null) return { ...collected(collector), excess }
    // Somebody copies a protected site as it is stored: without its passwords.
    if (decodeText(content).trim() === withheldText.trim()) {
      const name = file.slice(1)
      const problem = `${name} is not stored as it was written, because it had passwords. Publish your own ${name}.`
      collector.closeSite(file, 1, problem)
    } else yield* readers[file](content, file, collector)
  }
  const excess = collector.excess ?? (yield* longHeadExcess(collector.headers.rules))
  if (excess !== null) return { ...collected(collector), excess }
  const { parsed } = collector.redirects
  for (const redirect of parsed) {
    const { rule } = redirect
    const message = contradiction(redirect, (path) => collector.fileAt(path))
    if (message !== null) findings.add({ file: fileOf(rule), line: rule.line, level: 'warning', message })
    yield
  }
  const { htmlHandling } = collector
  for (const [rule, message] of yield* findCycles(parsed, { paths: { has: hasFile }, htmlHandling })) {
    findings.add({ file: fileOf(rule), line: rule.line, level: 'warning', message })
  }
  // Any path is a view of an app.
  const shown = collector.isSinglePage ? undefined : facts.files
  const { rules: protections } = collector.protections
  const unused =
    shown === undefined ? [] : findUnusedProtections(protections, { files: shown, htmlHandling }, parsed)
  for (const { file = headersFile, line, from } of unused) {
    const message = `There is no file ${excerpt(from)} to protect. Check its name.`
    findings.add({ file, line, level: 'warning', message })
  }
  for (const [file, message] of unreadFiles) {
    if (hasFile(file)) findings.add({ file, line: null, level: 'warning', message })
  }
  return collected(collector)
}

function collected({ rules, protections, findings, excess }: RuleCollector): ReadRules {
  return { rules, protections: protections.rules, findings: findings.list(), excess }
}

/** Why a rule does not do what it seems to. */
function contradiction(
  { rule, pattern, target }: ParsedRedirect,
  fileAt: (path: string) => string | null,
): string | null {
  const { from, to, status, force } = rule
  if (force === undefined && isStatic(pattern)) {
    const file = fileAt(`/${pattern.segments.join('/')}`)
    if (file !== null) {
      const forced = rule.file === undefined ? `Write ${status}!` : 'Use force'
      return `${excerpt(from)} is also a file (${excerpt(file)}), which is shown instead. ${forced} to apply the rule anyway.`
    }
  }
  if ('origin' in target || typeof target.path !== 'string') return null
  return fileAt(target.path) === null ? `There is no file ${excerpt(to)} to show. Check its name.` : null
}
