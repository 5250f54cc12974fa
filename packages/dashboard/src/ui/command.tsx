import { Copy } from './copy.tsx'

/** A command to run in a terminal, with a way to take it there. */
export function Command({ line }: { line: string }) {
  return (
    <div className="flex items-center gap-2 rounded-sheet border border-hairline bg-sheet py-2.5 pr-2.5 pl-3 sm:gap-3 sm:pl-4">
      <code className="min-w-0 flex-1 font-mono text-small">
        <span aria-hidden="true" className="hidden text-soft select-none sm:inline">
          ${' '}
        </span>
        {line}
      </code>
      <Copy text={line} what="the command" />
    </div>
  )
}
