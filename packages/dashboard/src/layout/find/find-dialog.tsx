import { useMutation } from '@tanstack/react-query'
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { problemWords } from '../../problem-words.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { isComposing } from '../../ui/field.tsx'
import { type FindAction, type FindEntry, kindWords } from './entries.ts'
import { rank } from './rank.ts'
import { useEntries } from './use-entries.ts'

/** Typing another letter narrows the results faster than scrolling. */
const maxShown = 40

export function FindDialog({ onClose }: { onClose: () => void }) {
  const id = useId()
  const navigate = useNavigate()
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const search = useDeferredValue(query.trim())
  const { entries, limitsText, isLooking, error } = useEntries(search !== '')
  const run = useMutation({ mutationFn: (action: FindAction) => action.run(), onSuccess: onClose })
  const found = rank(search, entries).slice(0, maxShown)
  const current = Math.min(at, found.length - 1)

  function choose({ choose: choice }: FindEntry) {
    if (run.isPending) return
    if ('run' in choice) return run.mutate(choice)
    onClose()
    if ('open' in choice) return openAddress(choice.open, choice.download)
    focusNextPage()
    void navigate(choice.go)
  }

  function press(event: KeyboardEvent) {
    if (isComposing(event)) return
    const chosen = found[current]
    if (event.key === 'ArrowDown') setAt((current + 1) % Math.max(found.length, 1))
    else if (event.key === 'ArrowUp') setAt((current - 1 + found.length) % Math.max(found.length, 1))
    else if (event.key === 'Enter' && chosen !== undefined) choose(chosen)
    else return
    event.preventDefault()
  }

  return (
    <Dialog title="Find" bare onClose={onClose}>
      <input
        type="text"
        dir="auto"
        role="combobox"
        aria-label="Find a project, domain, page or action"
        aria-expanded={found.length > 0}
        aria-controls={`${id}-found`}
        aria-activedescendant={found.length > 0 ? `${id}-${current}` : undefined}
        aria-autocomplete="list"
        placeholder="Find a project, domain, page or action"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        enterKeyHint="go"
        maxLength={260}
        value={query}
        onChange={({ target }) => {
          setQuery(target.value)
          setAt(0)
        }}
        onKeyDown={press}
        className="block h-14 w-full border-b border-ink bg-sheet px-5 text-name outline-none placeholder:text-soft"
      />
      <FoundList id={id} found={found} current={current} onPoint={setAt} onChoose={choose} />
      <p
        role="status"
        className={`px-5 text-small text-soft empty:hidden ${found.length > 0 ? 'border-t border-hairline py-2.5' : 'pb-3'}`}
      >
        {statusText()}
      </p>
    </Dialog>
  )

  function statusText(): string | null {
    if (run.isPending) return run.variables.running
    const failure = run.error ?? error
    if (failure !== null) return problemWords(failure).what
    if (isLooking && search !== '') return 'Searching…'
    if (found.length === 0) return `No results for “${search}”. ${limitsText ?? ''}`
    return search === '' ? null : limitsText
  }
}

function openAddress(address: string, download: string | undefined) {
  const link = document.createElement('a')
  link.href = address
  if (download !== undefined) link.download = download
  link.click()
}

interface FoundListProps {
  id: string
  found: readonly FindEntry[]
  current: number
  onPoint: (index: number) => void
  onChoose: (entry: FindEntry) => void
}

/** The focus stays in the search field, whose arrow keys move through the list. */
function FoundList({ id, found, current, onPoint, onChoose }: FoundListProps) {
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
      aria-label="Results"
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
      // Not onPointerEnter: results that change under a resting pointer should not be selected.
      onPointerMove={onPoint}
      // Keeps the focus in the search field.
      onPointerDown={(event) => event.preventDefault()}
      onClick={onChoose}
      className="flex w-full items-baseline gap-3 rounded-r-chip border-l-2 border-transparent px-3 py-2 text-left aria-selected:border-ink aria-selected:bg-wash forced-colors:border-[Canvas] forced-colors:aria-selected:highlighted"
    >
      <span dir="auto" className="min-w-0 truncate">
        {title}
      </span>
      {detail !== undefined && (
        <span dir="auto" className="max-w-[35%] shrink-0 truncate text-small text-soft">
          {detail}
        </span>
      )}
      <span className="ml-auto shrink-0 text-small text-soft">{kindWords[kind]}</span>
    </button>
  )
}

/** Later, moving the focus would interrupt someone. */
const focusWithinMs = 3_000

/** Focuses the next page once it has loaded, unless the page has moved the focus itself. */
function focusNextPage(): void {
  const before = document.getElementById('main')
  const until = performance.now() + focusWithinMs
  function poll() {
    const page = document.getElementById('main')
    if (page === null || page === before) {
      if (performance.now() < until) requestAnimationFrame(poll)
    } else if (!page.contains(document.activeElement)) {
      page.focus({ preventScroll: true })
    }
  }
  requestAnimationFrame(poll)
}
