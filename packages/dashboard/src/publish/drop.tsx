import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { droppedEntries } from './collect-files.ts'
import type { Source } from './read-site.ts'

/**
 * Makes the whole page a drop target and returns whether something is being dragged over it. Drops that are not
 * allowed are still handled, or the browser would open the file instead of the dashboard.
 */
export function useDrop(allowed: boolean, onDrop: (source: Source) => void): boolean {
  const [dragging, setDragging] = useState(false)
  const take = useEffectEvent((items: DataTransferItemList) => {
    if (allowed) onDrop({ kind: 'dropped', entries: droppedEntries(items) })
  })

  useEffect(() => {
    const stop = new AbortController()
    // dragenter and dragleave fire for every element under the pointer.
    let inside = 0
    const listen = (name: 'dragenter' | 'dragleave' | 'dragover' | 'drop', act: (event: DragEvent) => void) =>
      window.addEventListener(
        name,
        (event) => {
          if (!event.dataTransfer?.types.includes('Files')) return
          event.preventDefault()
          act(event)
        },
        { signal: stop.signal },
      )
    const count = (change: number) => {
      inside = Math.max(0, inside + change)
      setDragging(inside > 0)
    }
    listen('dragenter', () => count(1))
    listen('dragleave', () => count(-1))
    listen('dragover', ({ dataTransfer }) => {
      if (dataTransfer !== null) dataTransfer.dropEffect = allowed ? 'copy' : 'none'
    })
    listen('drop', ({ dataTransfer }) => {
      count(-inside)
      if (dataTransfer !== null) take(dataTransfer.items)
    })
    return () => stop.abort()
  }, [allowed])

  return dragging && allowed
}

export function DropHint({ children }: { children: ReactNode }) {
  return (
    <div className="fade-in pointer-events-none fixed inset-0 z-30 bg-paper/90 p-3 sm:p-5">
      <div className="grid h-full place-items-center rounded-sheet border border-dashed border-ink px-6">
        <p role="status" className="text-center font-serif text-title font-medium tracking-[-0.015em]">
          {children}
        </p>
      </div>
    </div>
  )
}
