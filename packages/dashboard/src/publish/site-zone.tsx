import type { UploadLimits } from '@masthead/contract/upload-limits.ts'
import { FileButton } from '../ui/file-button.tsx'
import { fileSize } from '../ui/file-size.ts'
import { Notice } from '../ui/notice.tsx'
import { archiveEndings } from './archive-type.ts'
import type { Source } from './read-site.ts'
import type { SiteState } from './use-site.ts'
import { filesWord } from './words.ts'

interface SiteZoneProps {
  state: SiteState
  limits: UploadLimits
  onSource: (source: Source) => void
}

/** Where a site is dropped; the whole page takes it, this place says so and has buttons for it. */
export function SiteZone({ state, limits, onSource }: SiteZoneProps) {
  return (
    <div className="flex flex-col gap-3">
      {state.is === 'refused' && (
        <Notice tone="stopped" title={state.fault.message}>
          {state.fault.fix}
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
              The folder that holds index.html, a .zip or a .tar.gz, with up to {filesWord(limits.files)} and{' '}
              <span className="whitespace-nowrap">{fileSize(limits.bytesPerDeployment)}</span>. Hidden files
              and node_modules stay behind.
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
