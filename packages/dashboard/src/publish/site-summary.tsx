import { Button } from '../ui/button.tsx'
import type { Site } from './site.ts'
import { siteWords } from './words.ts'

/** What was dropped or chosen, before it is published. */
export function SiteSummary({ site, onForget }: { site: Site; onForget?: () => void }) {
  return (
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
  )
}
