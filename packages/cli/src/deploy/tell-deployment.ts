import { projectFileNames } from '@masthead/contract/ignored-files.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { confirmed } from '../ask.ts'
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import type { Output } from '../output.ts'
import { printable } from '../printable.ts'

const mostNamed = 6

/** Says which files stay behind. The project file always does. */
export function tellLeftOut(paths: readonly string[], out: Output): void {
  const unexpected = paths.map((path) => path.slice(1)).filter((path) => !isProjectFile(path))
  if (unexpected.length === 0) return
  const named = unexpected.slice(0, mostNamed).map((path) => printable(path))
  const more = unexpected.length - named.length
  out.note(`Left out: ${named.join(', ')}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`)
}

function isProjectFile(path: string): boolean {
  return (projectFileNames as readonly string[]).includes(path)
}

/** Says what is odd about a deployment while it can still be stopped, and asks where somebody is there to answer. */
export async function tellDiagnostics(
  diagnostics: Deployment['diagnostics'],
  goesLive: boolean,
  { out, yes, signal }: Pick<Context, 'out' | 'yes' | 'signal'>,
): Promise<void> {
  if (diagnostics.length === 0 || out.json) return
  for (const { message } of diagnostics) out.tell(out.noteStyle('yellow', printable(message, 400)))
  if (!goesLive || !out.interactive) return
  if (await confirmed('Publish it anyway?', { yes, out, signal })) return
  const fix = 'Change the folder, or add --no-activate to look at a preview first.'
  throw new CommandError('not_published', 'Nothing was published.', fix)
}
