import { projectFileNames } from '@masthead/contract/deployments.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import type { CommandContext } from '../context.ts'
import { CommandError } from '../errors/command-error.ts'
import { confirm } from '../terminal/ask.ts'
import { sanitize } from '../terminal/layout.ts'
import type { Output } from '../terminal/output.ts'

/** Beside the address for people, which stands alone on standard output, the one that every project keeps. */
export function noteDefaultSubdomain(
  { url, primaryUrl }: Pick<Project, 'url' | 'primaryUrl'>,
  out: Output,
): void {
  if (url !== primaryUrl) out.note(`Default subdomain: ${url}`)
}

/** Says why visitors do not see the site, where the operator has taken it down. */
export function noteTakedown({ takedown }: Pick<Project, 'takedown'>, out: Output): void {
  if (!takedown) return
  const { status, reason } = takedown
  out.note(
    `The operator took this site down. Visitors get ${status} and this reason: ${sanitize(reason, 500)}`,
  )
}

const maxNamed = 6

/** Says which files stay behind. The project file always does. */
export function noteIgnoredFiles(paths: readonly string[], out: Output): void {
  const unexpected = paths.map((path) => path.slice(1)).filter((path) => !isProjectFile(path))
  if (unexpected.length === 0) return
  const named = unexpected.slice(0, maxNamed).map((path) => sanitize(path))
  const more = unexpected.length - named.length
  out.note(`Not published: ${named.join(', ')}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`)
}

function isProjectFile(path: string): boolean {
  return (projectFileNames as readonly string[]).includes(path)
}

/** Says what is odd about a deployment while it can still be stopped, and asks where somebody is there to answer. */
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
