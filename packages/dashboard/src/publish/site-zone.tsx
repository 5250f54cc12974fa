import type { UploadLimits } from '@masthead/contract/deployments.ts'
import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import { Link } from 'react-router'
import { TerminalCommand } from '../api/terminal-command.tsx'
import { paths } from '../paths.ts'
import { Button, FileButton } from '../ui/button.tsx'
import { Notice } from '../ui/notices.tsx'
import type { Source } from './read-site.ts'
import { archiveEndings, lacksIndexPage, leftOutWords, type SiteUpload } from './site.ts'
import { filesWord, siteWords } from './upload-view.ts'
import type { SiteState } from './use-site.ts'

interface SiteZoneProps {
  state: SiteState
  limits: UploadLimits
  onSource: (source: Source) => void
}

/** The whole page is a drop target; this zone says so and has buttons. */
export function SiteZone({ state, limits, onSource }: SiteZoneProps) {
  return (
    <div className="flex flex-col gap-3">
      {state.is === 'refused' && (
        <Notice tone="stopped" title={state.error.message}>
          {state.error.fix}
        </Notice>
      )}
      <div className="rounded-sheet border border-dashed border-edge px-5 py-8 text-center">
        {state.is === 'reading' ? (
          <p role="status" className="py-6 text-soft">
            Reading the folder… {state.files > 0 && filesWord(state.files)}
          </p>
        ) : (
          <>
            <p className="text-name font-medium">Drop a folder or an archive</p>
            <p className="mx-auto mt-1 max-w-[56ch] text-small text-pretty text-soft">
              The folder that contains index.html, or a .zip or .tar.gz, with up to {filesWord(limits.files)}{' '}
              and <span className="whitespace-nowrap">{formatBytes(limits.bytesPerDeployment)}</span>. Hidden
              files and node_modules are left out.
            </p>
            <div className="mt-4 flex flex-wrap justify-center gap-2">
              <FileButton folder onChoose={(files) => onSource({ kind: 'folder', files })}>
                Choose a folder
              </FileButton>
              <FileButton
                accept={archiveEndings}
                onChoose={([file]) => file !== undefined && onSource({ kind: 'archive', file })}
              >
                Choose an archive
              </FileButton>
            </div>
          </>
        )}
      </div>
    </div>
  )
}

export function SiteSummary({ site, onForget }: { site: SiteUpload; onForget?: () => void }) {
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
            Choose again
          </Button>
        )}
      </div>
      {leftOut !== null && <p className="text-small wrap-anywhere text-soft">Left out: {leftOut}</p>}
      {lacksIndexPage(site) && (
        <Notice tone="waiting" title="There is no index.html.">
          Visitors to / get a 404. Choose the folder that contains index.html, or add one.
        </Notice>
      )}
    </div>
  )
}

export function TerminalInstructions({ command }: { command: string }) {
  return (
    <>
      <div className="max-w-[720px]">
        <TerminalCommand command={command} />
      </div>
      <p className="mt-3 max-w-[60ch] text-small text-soft">
        Run this in any terminal with Node.js 20 or newer, with your own folder. The first time, you approve
        the login here.{' '}
        <Link to={paths.commandLine()} className="link">
          Install the command line
        </Link>
      </p>
    </>
  )
}
