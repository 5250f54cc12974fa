import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Site } from './site.ts'
import { lacksFrontPage, leftOutWords } from './site-warnings.ts'
import { siteWords } from './words.ts'

/** What was dropped or chosen, before it is published. */
export function SiteSummary({ site, onForget }: { site: Site; onForget?: () => void }) {
  const leftOut = leftOutWords(site)
  return (
    <div className="flex flex-col gap-3">
      <div className="fade-in flex items-center justify-between gap-4 rounded-sheet border border-hairline bg-sheet py-2 pr-2 pl-4">
        <p role="status" className="min-w-0 py-2">
          <span className="font-mono text-small wrap-anywhere">{site.name ?? 'Loose files'}</span>{' '}
          <span className="text-small text-soft">{siteWords(site)}</span>
        </p>
        {onForget !== undefined && (
          <Button look="quiet" onClick={onForget}>
            Choose others
          </Button>
        )}
      </div>
      {leftOut !== null && <p className="text-small wrap-anywhere text-soft">Left out: {leftOut}</p>}
      {lacksFrontPage(site) && (
        <Notice tone="waiting" title="There is no front page.">
          Visitors of / get a 404. Choose the folder that holds index.html, or add one.
        </Notice>
      )}
    </div>
  )
}
