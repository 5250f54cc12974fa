import { useSyncExternalStore } from 'react'
import type { Publication } from './publication.ts'
import { isRunning, type PublicationView } from './publication-view.ts'

/**
 * What is being published from this page, by the id of its project. It lives beside the pages, so that going from
 * one to another does not stop it.
 */
const publications = new Map<string, Publication>()
const listeners = new Set<() => void>()

export function holdPublication(project: string, publication: Publication): void {
  publications.set(project, publication)
  publication.subscribe(changed)
  changed()
}

export function retryPublication(project: string): void {
  void publications.get(project)?.run()
}

export function cancelPublication(project: string): void {
  publications.get(project)?.cancel()
}

export function dismissPublication(project: string): void {
  publications.delete(project)
  changed()
}

/** What is being published to a project, as it goes on; null where nothing is. */
export function usePublication(project: string): PublicationView | null {
  return useSyncExternalStore(subscribe, () => publications.get(project)?.view ?? null)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function changed(): void {
  for (const listener of listeners) listener()
  // A browser asks before it leaves as long as something runs.
  const running = [...publications.values()].some(({ view }) => isRunning(view))
  if (running) addEventListener('beforeunload', askFirst)
  else removeEventListener('beforeunload', askFirst)
}

function askFirst(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
