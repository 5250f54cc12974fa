import type { Project } from '@masthead/contract/schemas/project.ts'
import { useSyncExternalStore } from 'react'
import type { Publication } from './publication.ts'
import { isRunning, type PublicationView } from './publication-view.ts'

/**
 * What is being published from this page, by the id of its project. It lives beside the pages, so that going from
 * one to another does not stop it.
 */
const publications = new Map<string, Publication>()
const listeners = new Set<() => void>()
let all: readonly TrackedPublication[] = []

export interface TrackedPublication {
  project: Pick<Project, 'id' | 'slug' | 'name'>
  view: PublicationView
}
const projects = new Map<string, TrackedPublication['project']>()

export function trackPublication(project: TrackedPublication['project'], publication: Publication): void {
  publications.set(project.id, publication)
  projects.set(project.id, project)
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
  void publications.get(project)?.abandon()
  publications.delete(project)
  changed()
}

/** Everything that is being published from this page, or was and is not dismissed yet. */
export function usePublications(): readonly TrackedPublication[] {
  return useSyncExternalStore(subscribe, () => all)
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
  all = [...publications].flatMap(([id, { view }]) => {
    const project = projects.get(id)
    return project === undefined ? [] : [{ project, view }]
  })
  for (const listener of listeners) listener()
  // A browser asks before it leaves as long as something runs.
  const running = [...publications.values()].some(({ view }) => isRunning(view))
  const listen = running ? addEventListener : removeEventListener
  listen('beforeunload', askFirst)
  listen('pagehide', abandonAll)
}

function abandonAll(): void {
  for (const publication of publications.values()) void publication.abandon()
}

function askFirst(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
