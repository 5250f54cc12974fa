import { type RuleFinding, RuleFindings } from './findings.ts'
import { parseHeaders } from './parse-headers.ts'
import { parseRedirects } from './parse-redirects.ts'
import { isStatic, parsePattern } from './pattern.ts'
import { excerpt } from './rule-lines.ts'
import { type RedirectRule, redirectsFile, type SiteRules } from './rules.ts'
import { parseFileTarget } from './target.ts'

/** The contents of the rules files that a site has. */
export interface RuleFiles {
  redirects?: Uint8Array | undefined
  headers?: Uint8Array | undefined
}

export interface ReadRules {
  rules: SiteRules
  findings: RuleFinding[]
  /** Set if a limit is exceeded, which is no reason to serve the site with half of its rules. */
  excess: string | null
}

const empty = new Uint8Array()

const moveRules = 'is not read here. Move its redirects and headers to _redirects and _headers.'

/** Files that configure a site elsewhere, and what to do instead. They are never served. */
export const unreadFiles: ReadonlyMap<string, string> = new Map([
  ['/netlify.toml', `netlify.toml ${moveRules}`],
  ['/vercel.json', `vercel.json ${moveRules}`],
  ['/CNAME', 'CNAME has no effect here. Add the domain to the project instead.'],
])

/** Reads the rules of a site and compares them with its files. */
export function readSiteRules(files: RuleFiles, hasFile: (path: string) => boolean): ReadRules {
  const findings = new RuleFindings()
  const redirects = parseRedirects(files.redirects ?? empty, findings)
  const headers = parseHeaders(files.headers ?? empty, findings)
  for (const rule of redirects.rules) {
    const message = contradiction(rule, hasFile)
    if (message !== null) findings.add({ file: redirectsFile, line: rule.line, level: 'warning', message })
  }
  for (const [file, message] of unreadFiles) {
    if (hasFile(file)) findings.add({ file, line: null, level: 'warning', message })
  }
  return {
    rules: { redirects: redirects.rules, headers: headers.rules },
    findings: findings.list(),
    excess: redirects.excess ?? headers.excess,
  }
}

/** Why a rule does not do what it seems to. */
function contradiction(rule: RedirectRule, hasFile: (path: string) => boolean): string | null {
  const { from, to, status, force } = rule
  const pattern = parsePattern(from)
  if (typeof pattern === 'string') return null
  if (force === undefined && isStatic(pattern)) {
    const file = fileAt(`/${pattern.segments.join('/')}`, hasFile)
    if (file !== null) {
      return `${excerpt(from)} is also a file (${excerpt(file)}), which is shown instead. Write ${status}! to apply the rule anyway.`
    }
  }
  const target = status === 200 || status === 404 ? parseFileTarget(to) : null
  if (target === null || typeof target === 'string' || typeof target.path !== 'string') return null
  return fileAt(target.path, hasFile) === null
    ? `There is no file ${excerpt(to)} to show. Check its name.`
    : null
}

/** The file that a path shows, under any of the ways in which URLs map to files. */
function fileAt(path: string, hasFile: (path: string) => boolean): string | null {
  const stem = path.endsWith('/') ? path.slice(0, -1) : path
  const spellings = [path, `${stem}.html`, `${stem}/index.html`]
  return spellings.find((file) => hasFile(file)) ?? null
}
