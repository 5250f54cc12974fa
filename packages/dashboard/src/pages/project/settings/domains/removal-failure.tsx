import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { problemWords } from '../../../../problem-words.ts'
import { InSight } from '../../../../ui/in-sight.tsx'
import { Notice } from '../../../../ui/notice.tsx'

/** The domain is back on the page; this says why. */
export function RemovalFailure({ domain, error }: { domain: Domain; error: unknown }) {
  const { what, fix } = problemWords(error)
  return (
    <div className="mb-6">
      <InSight>
        <Notice tone="stopped" title={`${domain.unicode} was not removed.`}>
          {what} {fix}
        </Notice>
      </InSight>
    </div>
  )
}
