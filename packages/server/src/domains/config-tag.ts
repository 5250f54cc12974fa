import { createHash } from 'node:crypto'
import { Problem } from '../problem.ts'
import type { NamedConfig } from './domain-config.ts'

/** Stands for a configuration in `ETag` and `If-Match`: the same configuration has the same one. */
export function configTag({ primary, redirects }: NamedConfig): string {
  const content = [primary, ...redirects.flatMap(({ from, to, status }) => [from, to, status])]
  return `"${createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22)}"`
}

/** Refuses a change that was decided on by what is no longer so. One that was made already may be asked for again. */
export function refuseUnlessSeen(
  ifMatch: string | undefined,
  { current, wanted }: { current: NamedConfig; wanted: NamedConfig },
): void {
  if (ifMatch === undefined) return
  const tag = configTag(current)
  // A proxy that compresses marks tags as weak; what they stand for stays the same.
  const named = ifMatch.split(',').map((one) => one.trim().replace(/^W\//, ''))
  if (named.includes('*') || named.includes(tag) || tag === configTag(wanted)) return
  throw new Problem(
    'domain_config_changed',
    'Somebody changed the primary domain or the redirects meanwhile. Nothing was changed.',
    { headers: { ETag: tag } },
  )
}
