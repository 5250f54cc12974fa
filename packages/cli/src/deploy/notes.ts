import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { formatLocation } from '@masthead/contract/site-rules/findings.ts'
import type { CommandContext } from '../context.ts'
import { CommandError } from '../errors/command-error.ts'
import { confirm } from '../terminal/ask.ts'
import { formatNumber } from '../terminal/format.ts'
import { sanitize } from '../terminal/layout.ts'
import type { Output } from '../terminal/output.ts'
import type { SentRules } from './rule-files.ts'

/** Standard output has only the primary address, so the default subdomain is a note. */
export function noteDefaultSubdomain(
  { url, primaryUrl }: Pick<Project, 'url' | 'primaryUrl'>,
  out: Output,
): void {
  if (url !== primaryUrl) out.note(`Default subdomain: ${url}`)
}

export function noteTakedown({ takedown }: Pick<Project, 'takedown'>, out: Output): void {
  if (!takedown) return
  const { status, reason } = takedown
  out.note(
    `The operator took this site down. Visitors get ${status} and this reason: ${sanitize(reason, 500)}`,
  )
}

/** A deploy that fails leaves the project that it has created. */
export function noteUnusedProject({ slug }: Pick<Project, 'slug'>, out: Output): void {
  out.note(`${slug} stays for the next deploy. To remove it, run \`masthead projects delete ${slug}\`.`)
}

/** Says why a deployment is only a preview, and where its branch is. */
export function noteBranch(
  { active, branchUrl, meta: { branch, pullRequest } }: Pick<Deployment, 'active' | 'branchUrl' | 'meta'>,
  { productionBranch }: Pick<Project, 'productionBranch'>,
  out: Output,
): void {
  if (branch === undefined || branchUrl === null) return
  if (active && branch === productionBranch) return
  out.note(`The newest deployment of ${sanitize(branch)} is always at ${branchUrl}`)
  if (active) return
  if (branch !== productionBranch)
    out.note(`Only ${sanitize(productionBranch)} goes live. To publish this, add --activate.`)
  else if (pullRequest !== undefined)
    out.note('Pull requests do not go live. To publish this, add --activate.')
}

const maxNamed = 6

/** Names the files that are not published. */
export function noteIgnoredFiles(paths: readonly string[], out: Output): void {
  if (paths.length === 0) return
  const named = paths.slice(0, maxNamed).map((path) => sanitize(path.slice(1)))
  const more = paths.length - named.length
  out.note(`Not published: ${named.join(', ')}${more > 0 ? ` and ${formatNumber(more)} more` : ''}`)
}

/** Says which rules are sent along with the folder. */
export function noteSentRules(sent: readonly SentRules[], out: Output): void {
  if (sent.length === 0) return
  const names = sent.map(({ name }) => sanitize(name)).join(', ')
  out.note(`With the rules of ${names} (--no-rules leaves them out)`)
}

const maxFindings = 20

/** Prints what was found once the files had arrived, such as lines of `_redirects` that cannot be used. */
export function noteFindings(
  announced: Deployment['diagnostics'],
  diagnostics: Deployment['diagnostics'],
  out: Output,
): void {
  if (out.json) return
  const known = new Set(announced.map(({ message }) => message))
  const found = diagnostics.filter(({ message }) => !known.has(message))
  for (const one of found.slice(0, maxFindings)) {
    const text = sanitize(`${formatLocation(one)}: ${one.message}`, 500)
    out.tell(out.noteStyle(one.level === 'error' ? 'red' : 'yellow', text))
  }
  const more = found.length - maxFindings
  if (more > 0) out.tell(`${formatNumber(more)} more are on the page of this deployment.`)
}

/** Prints warnings about a deployment and asks whether to publish it anyway. */
export async function confirmDiagnostics(
  diagnostics: Deployment['diagnostics'],
  goesLive: boolean,
  { out, yes, signal }: Pick<CommandContext, 'out' | 'yes' | 'signal'>,
): Promise<void> {
  if (diagnostics.length === 0 || out.json) return
  for (const { message } of diagnostics) out.tell(out.noteStyle('yellow', sanitize(message, 400)))
  if (!goesLive || !out.interactive) return
  if (await confirm('Publish it anyway?', { yes, out, signal })) return
  const fix = 'Fix the folder, or use --no-activate to look at a preview first.'
  throw new CommandError('not_published', 'Nothing was published.', fix)
}
