import { useMutationState } from '@tanstack/react-query'
import { useState } from 'react'
import { InSight } from '../../../../ui/in-sight.tsx'
import { Notice } from '../../../../ui/notice.tsx'
import type { ProjectNames } from './project-names.ts'
import { type Removal, removalKey } from './removal.ts'

interface RemovalWarningsProps {
  slug: string
  names: ProjectNames
}

/** How long a removal on the page of a domain may lie back when this page, where it leads, is opened. */
const leadHereMs = 3_000

/** What the API warned of with the last removal, until it is read. */
export function RemovalWarnings({ slug, names }: RemovalWarningsProps) {
  const [after, setAfter] = useState(() => Date.now() - leadHereMs)
  const removals = useMutationState({
    filters: { mutationKey: removalKey(slug), status: 'success' },
    select: ({ state }) => ({ at: state.submittedAt, removal: state.data as Removal }),
  })
  const last = removals.findLast(({ at }) => at > after)
  if (last === undefined || last.removal.warnings.length === 0) return null
  const { domain, warnings } = last.removal
  // One that was added again has nothing to warn of.
  if (names.all.includes(domain.hostname)) return null
  const [first, ...more] = warnings.flatMap(({ message }) => sentences(message))
  return (
    <div className="mb-6">
      <InSight key={last.at}>
        <Notice tone="waiting" title={first}>
          {more.join(' ')}{' '}
          <button type="button" className="link rounded-chip" onClick={() => setAfter(Date.now())}>
            Dismiss
          </button>
        </Notice>
      </InSight>
    </div>
  )
}

/** Names have dots too, but no space after them. */
function sentences(text: string): string[] {
  return text.split(/(?<=\.)\s+/)
}
