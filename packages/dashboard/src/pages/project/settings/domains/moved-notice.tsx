import { Notice } from '../../../../ui/notice.tsx'
import { type Config, configDifference } from './config-change.ts'
import type { ShownName } from './shown-name.ts'

interface MovedNoticeProps {
  before: Config
  after: Config
  shown: ShownName
}

/** What somebody else did while this was edited, so that nobody overwrites it unknowingly. */
export function MovedNotice({ before, after, shown }: MovedNoticeProps) {
  return (
    <Notice tone="waiting" title="Somebody changed this while you were here.">
      {configDifference(before, after, shown).join(' ')} Your change comes on top of that.
    </Notice>
  )
}
