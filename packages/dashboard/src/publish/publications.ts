import type { Project } from '@masthead/contract/schemas/project.ts'
import { useSyncExternalStore } from 'react'
import type { Publication } from './publication.ts'
import { isRunning, type PublicationView } from './publication-view.ts'

/** Uploads by project id. They live outside React, so that navigating does not stop them. */
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

/** All uploads of this tab that are not dismissed yet. */
export function usePublications(): readonly TrackedPublication[] {
  return useSyncExternalStore(subscribe, () => all)
}

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
  // Ask before leaving while an upload is running.
  const running = [...publications.values()].some(({ view }) => isRunning(view))
  const listen = running ? addEventListener : removeEventListener
  listen('beforeunload', preventUnload)
  listen('pagehide', abandonAll)
}

function abandonAll(): void {
  for (const publication of publications.values()) void publication.abandon()
}

function preventUnload(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
