import { useMutation } from '@tanstack/react-query'
import { type KeyboardEvent, useDeferredValue, useId, useState } from 'react'
import { useNavigate } from 'react-router'
import { problemWords } from '../../problem-words.ts'
import { Dialog } from '../../ui/dialog.tsx'
import type { Deed, FindEntry } from './entry.ts'
import { focusNextPage } from './focus-next-page.ts'
import { FoundList } from './found-list.tsx'
import { rank } from './rank.ts'
import { useEntries } from './use-entries.ts'

/** More than anybody reads through; another letter leads further than scrolling. */
const mostShown = 40

/** One field that finds any project, domain, page and action. It remembers nothing. */
export function FindDialog({ onClose }: { onClose: () => void }) {
  const id = useId()
  const navigate = useNavigate()
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const asked = useDeferredValue(query.trim())
  const { entries, beyond, isLooking, error } = useEntries(asked !== '')
  const run = useMutation({ mutationFn: (deed: Deed) => deed.run(), onSuccess: onClose })
  const found = rank(asked, entries).slice(0, mostShown)
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
    // While a character is being composed, the keys belong to that.
    if (event.nativeEvent.isComposing) return
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
        {said()}
      </p>
    </Dialog>
  )

  function said(): string | null {
    if (run.isPending) return run.variables.running
    const trouble = run.error ?? error
    if (trouble !== null) return problemWords(trouble).what
    if (isLooking && asked !== '') return 'Looking…'
    if (found.length === 0) return `Nothing is called “${asked}”. ${beyond ?? ''}`
    return asked === '' ? null : beyond
  }
}

function openAddress(address: string, download: string | undefined) {
  const link = document.createElement('a')
  link.href = address
  if (download !== undefined) link.download = download
  link.click()
}
