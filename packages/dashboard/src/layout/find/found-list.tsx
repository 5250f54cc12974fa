import { useEffect, useRef } from 'react'
import { type FindEntry, kindWords } from './entry.ts'

interface FoundListProps {
  id: string
  found: readonly FindEntry[]
  current: number
  onPoint: (index: number) => void
  onChoose: (entry: FindEntry) => void
}

/** What was found. The focus stays in the field above, whose keys move through it. */
export function FoundList({ id, found, current, onPoint, onChoose }: FoundListProps) {
  const list = useRef<HTMLDivElement>(null)
  const shown = found[current]?.id

  useEffect(() => {
    if (shown !== undefined)
      list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [shown])

  return (
    <div
      ref={list}
      id={`${id}-found`}
      role="listbox"
      aria-label="Found"
      className="max-h-[min(420px,56dvh)] scroll-py-2 overflow-y-auto p-2 empty:h-3 empty:p-0"
    >
      {found.map((entry, index) => (
        <FoundEntry
          key={entry.id}
          id={`${id}-${index}`}
          entry={entry}
          selected={index === current}
          onPoint={() => onPoint(index)}
          onChoose={() => onChoose(entry)}
        />
      ))}
    </div>
  )
}

interface FoundEntryProps {
  id: string
  entry: FindEntry
  selected: boolean
  onPoint: () => void
  onChoose: () => void
}

function FoundEntry({ id, entry: { kind, title, detail }, selected, onPoint, onChoose }: FoundEntryProps) {
  return (
    <button
      type="button"
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={selected}
      // Moved, not entered: a list that changes under a resting pointer selects nothing.
      onPointerMove={onPoint}
      // The focus stays in the field.
      onPointerDown={(event) => event.preventDefault()}
      onClick={onChoose}
      className="flex w-full items-baseline gap-3 rounded-r-chip border-l-2 border-transparent px-3 py-2 text-left aria-selected:border-ink aria-selected:bg-wash"
    >
      <span className="min-w-0 truncate">{title}</span>
      {detail !== undefined && (
        <span className="max-w-[35%] shrink-0 truncate text-small text-soft">{detail}</span>
      )}
      <span className="ml-auto shrink-0 text-small text-soft">{kindWords[kind]}</span>
    </button>
  )
}
