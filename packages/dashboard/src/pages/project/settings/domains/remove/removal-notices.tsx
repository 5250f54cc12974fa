import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { useMutationState } from '@tanstack/react-query'
import { useState } from 'react'
import { problemWords } from '../../../../../problem-words.ts'
import { ScrollIntoView } from '../../../../../ui/focus.tsx'
import { Notice } from '../../../../../ui/notices.tsx'
import type { ProjectNames } from '../project-names.tsx'
import { type Removal, removalKey } from './use-removal.ts'

/** Explains why the domain is back on the page. */
export function RemovalFailure({ domain, error }: { domain: Domain; error: unknown }) {
  const { what, fix } = problemWords(error)
  return (
    <div className="mb-6">
      <ScrollIntoView>
        <Notice tone="stopped" title={`${domain.unicode} was not removed.`}>
          {what} {fix}
        </Notice>
      </ScrollIntoView>
    </div>
  )
}

interface RemovalWarningsProps {
  slug: string
  names: ProjectNames
}

/** Removing a domain on its own page navigates here: also show the warnings of such a recent removal. */
const recentMs = 3_000

/** The API's warnings about the last removal, until dismissed. */
export function RemovalWarnings({ slug, names }: RemovalWarningsProps) {
  const [after, setAfter] = useState(() => Date.now() - recentMs)
  const removals = useMutationState({
    filters: { mutationKey: removalKey(slug), status: 'success' },
    select: ({ state }) => ({ at: state.submittedAt, removal: state.data as Removal }),
  })
  const last = removals.findLast(({ at }) => at > after)
  if (last === undefined || last.removal.warnings.length === 0) return null
  const { domain, warnings } = last.removal
  // The domain was added again.
  if (names.all.includes(domain.hostname)) return null
  const [first, ...more] = warnings.flatMap(({ message }) => sentences(message))
  return (
    <div className="mb-6">
      <ScrollIntoView key={last.at}>
        <Notice tone="waiting" title={first}>
          {more.join(' ')}{' '}
          <button type="button" className="link rounded-chip" onClick={() => setAfter(Date.now())}>
            Dismiss
          </button>
        </Notice>
      </ScrollIntoView>
    </div>
  )
}

/** Hostnames contain dots too, but no space after them. */
function sentences(text: string): string[] {
  return text.split(/(?<=\.)\s+/)
}
