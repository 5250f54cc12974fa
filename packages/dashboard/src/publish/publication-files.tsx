import { fileSize } from '../ui/file-size.ts'
import { type FileProgress, type FileState, fileStateWords } from './progress.ts'
import { isRunning, type PublicationView } from './publication-view.ts'

const tones: Readonly<Record<FileState, string>> = {
  waiting: 'text-soft',
  hashing: 'text-ink',
  hashed: 'text-soft',
  sending: 'text-ink',
  there: 'text-soft',
  sent: 'text-live',
  failed: 'text-stopped',
}

/** The files at work, of however many there are; afterwards those that failed. */
export function PublicationFiles({ view }: { view: PublicationView }) {
  const { files, counts } = view.progress
  const running = isRunning(view)
  const shown = running ? view.shown : view.shown.filter(({ state }) => state === 'failed')
  if (shown.length === 0) return null
  const rest = (running ? files : counts.failed) - shown.length
  return (
    <>
      <ul
        aria-label={running ? 'Files' : 'Files that failed'}
        className="mt-4 divide-y divide-hairline rounded-sheet border border-hairline bg-sheet"
      >
        {shown.map((file) => (
          <FileRow key={file.path} file={file} />
        ))}
      </ul>
      {rest > 0 && <p className="mt-2 text-small text-soft">and {rest.toLocaleString('en')} more</p>}
    </>
  )
}

function FileRow({ file }: { file: FileProgress }) {
  const { path, size, state, underWay, fault } = file
  const percent = size > 0 && underWay > 0 ? ` ${Math.floor((underWay / size) * 100)} %` : ''
  return (
    <li className="flex items-baseline justify-between gap-4 px-4 py-2 text-small">
      <span className="min-w-0 wrap-anywhere">
        <span className="font-mono">{path.slice(1)}</span>
        {fault !== null && <span className="text-stopped"> {fault}</span>}
      </span>
      <span className="flex shrink-0 gap-4">
        <span className="hidden text-soft sm:inline">{fileSize(size)}</span>
        <span className={`w-26 text-right font-medium ${tones[state]}`}>
          {fileStateWords[state]}
          {state === 'sending' && percent}
        </span>
      </span>
    </li>
  )
}
