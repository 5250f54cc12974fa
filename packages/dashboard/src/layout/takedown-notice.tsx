import type { Takedown } from '@masthead/contract/schemas/project.ts'
import { Notice } from '../ui/notice.tsx'
import { Time } from '../ui/time.tsx'

/** Told on every page of a project whose site the operator has taken down. */
export function TakedownNotice({ takedown: { reason, status, since } }: { takedown: Takedown }) {
  return (
    <div className="mx-auto w-full max-w-[896px] px-4 pt-6 sm:px-7">
      <Notice tone="stopped" title="The operator took this site down.">
        Visitors get {status} and this reason since <Time at={since} />: “{reason}” You can still publish; it
        is shown again once the operator restores it.
      </Notice>
    </div>
  )
}
