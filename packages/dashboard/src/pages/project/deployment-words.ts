import { deploymentTitle } from '@masthead/contract/deployments.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { SiteRule } from '@masthead/contract/schemas/site-rule.ts'
import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import { filesWord } from '../../publish/upload-view.ts'
import { clockTime } from '../../ui/time-words.ts'

/** What people know a deployment by: what changed, or when it was created. */
export function deploymentName({ meta, createdAt }: Pick<Deployment, 'meta' | 'createdAt'>): string {
  return deploymentTitle(meta) ?? `Deployment at ${clockTime(Date.parse(createdAt), Date.now())}`
}

export interface Activation {
  words: string
  pending: string
}

const activate = { words: 'Make live', pending: 'Going live…' }
const rollBack = { words: 'Roll back to this', pending: 'Rolling back…' }

/** Rolling back to an older deployment or going live with a newer one; null if it is live or not ready. */
export function activationOf(
  deployment: Pick<Deployment, 'id' | 'state' | 'active'>,
  served: Pick<Deployment, 'id'> | null,
): Activation | null {
  if (deployment.state !== 'ready' || deployment.active) return null
  // Ids sort by creation time.
  return served !== null && deployment.id < served.id ? rollBack : activate
}

interface Counts {
  shown: number
  loaded: number
  all: number
  bytes: number
}

/** How many files are shown. A filter only searches the loaded ones. */
export function filesWords({ shown, loaded, all, bytes }: Counts): string {
  const some = shown === 0 ? 'None' : shown.toLocaleString('en')
  if (shown < loaded && loaded < all) return `${some} of the first ${loaded} of ${filesWord(all)}`
  if (shown < loaded) return `${some} of ${filesWord(all)}`
  return loaded < all
    ? `The first ${loaded.toLocaleString('en')} of ${filesWord(all)}`
    : `${filesWord(all)}, ${formatBytes(bytes)} in total`
}

/** Files whose path contains every word of the filter, ignoring case. */
export function filterFiles<T extends { path: string }>(files: readonly T[], filter: string): readonly T[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return files
  return files.filter(({ path }) => words.every((word) => path.toLowerCase().includes(word)))
}

/** When a rule applies, besides its path. */
export function ruleConditions({
  force,
  query,
  languages,
  countries,
}: Pick<SiteRule, 'force' | 'query' | 'languages' | 'countries'>): string[] {
  return [
    ...query.map(({ name, value }) =>
      /^:[A-Za-z]/.test(value) ? `with ?${name}=…` : `with ?${name}=${value}`,
    ),
    ...(languages.length > 0 ? [`for visitors who read ${languages.join(' or ')}`] : []),
    ...(countries.length > 0
      ? [`for visitors in ${countries.map((one) => one.toUpperCase()).join(' or ')}`]
      : []),
    ...(force ? ['also if there is a file'] : []),
  ]
}
