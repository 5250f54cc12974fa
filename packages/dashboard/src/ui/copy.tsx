import { useEffect, useState } from 'react'

const words = { idle: 'Copy', copied: 'Copied', failed: 'Failed' } as const

/** Confirms in place. All labels share one grid cell, so that the width does not change. */
export function Copy({ text, what }: { text: string; what: string }) {
  const [state, setState] = useState<keyof typeof words>('idle')

  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), 2000)
    return () => clearTimeout(timer)
  }, [state])

  return (
    <button
      type="button"
      aria-label={`Copy ${what}`}
      onClick={async () => setState((await copyToClipboard(text)) ? 'copied' : 'failed')}
      className="grid shrink-0 rounded-chip border border-hairline bg-sheet px-2.5 py-1 text-small text-soft transition-colors duration-150 hover:border-edge hover:text-ink"
    >
      {(['idle', 'copied', 'failed'] as const).map((each) => (
        <span key={each} className={`[grid-area:1/1] ${each === state ? '' : 'invisible'}`}>
          {words[each]}
        </span>
      ))}
      <span role="status" className="sr-only">
        {state === 'idle' ? '' : words[state]}
      </span>
    </button>
  )
}

/** `navigator.clipboard` needs HTTPS or localhost; on plain HTTP, fall back to execCommand. */
async function copyToClipboard(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  }
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'sr-only'
  document.body.append(area)
  area.select()
  const copied = document.execCommand('copy')
  area.remove()
  return copied
}

interface CopyableProps {
  text: string
  /** Completes "Copy …" for screen readers. */
  what: string
  href?: string
}

export function Copyable({ text, what, href }: CopyableProps) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
      {href === undefined ? (
        <code className="min-w-0 font-mono text-small wrap-anywhere">{text}</code>
      ) : (
        <a
          href={href}
          target="_blank"
          rel="noopener noreferrer"
          className="link min-w-0 font-mono text-small wrap-anywhere"
        >
          {text}
        </a>
      )}
      <span className="-my-1">
        <Copy text={text} what={what} />
      </span>
    </span>
  )
}

export function Command({ line }: { line: string }) {
  return (
    <div className="flex items-center gap-2 rounded-sheet border border-hairline bg-sheet py-2.5 pr-2.5 pl-3 sm:gap-3 sm:pl-4">
      <code className="min-w-0 flex-1 font-mono text-small wrap-anywhere">
        <span aria-hidden="true" className="hidden text-soft select-none sm:inline">
          ${' '}
        </span>
        {line}
      </code>
      <Copy text={line} what="the command" />
    </div>
  )
}
