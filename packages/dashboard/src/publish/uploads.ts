import type { Project } from '@masthead/contract/schemas/project.ts'
import { useSyncExternalStore } from 'react'
import type { Upload } from './upload.ts'
import { isRunning, type UploadView } from './upload-view.ts'

/** Uploads by project id. They live outside React, so that navigating does not stop them. */
const uploads = new Map<string, Upload>()
const listeners = new Set<() => void>()
let all: readonly TrackedUpload[] = []

export interface TrackedUpload {
  project: Pick<Project, 'id' | 'slug' | 'name'>
  view: UploadView
}
const projects = new Map<string, TrackedUpload['project']>()

export function trackUpload(project: TrackedUpload['project'], upload: Upload): void {
  uploads.set(project.id, upload)
  projects.set(project.id, project)
  upload.subscribe(changed)
  changed()
}

export function retryUpload(project: string): void {
  void uploads.get(project)?.run()
}

export function cancelUpload(project: string): void {
  uploads.get(project)?.cancel()
}

export function dismissUpload(project: string): void {
  void uploads.get(project)?.abandon()
  uploads.delete(project)
  changed()
}

/** All uploads of this tab that are not dismissed yet. */
export function useUploads(): readonly TrackedUpload[] {
  return useSyncExternalStore(subscribe, () => all)
}

export function useUpload(project: string): UploadView | null {
  return useSyncExternalStore(subscribe, () => uploads.get(project)?.view ?? null)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function changed(): void {
  all = [...uploads].flatMap(([id, { view }]) => {
    const project = projects.get(id)
    return project === undefined ? [] : [{ project, view }]
  })
  for (const listener of listeners) listener()
  // Ask before leaving while an upload is running.
  const running = [...uploads.values()].some(({ view }) => isRunning(view))
  const listen = running ? addEventListener : removeEventListener
  listen('beforeunload', preventUnload)
  listen('pagehide', abandonAll)
}

function abandonAll(): void {
  for (const upload of uploads.values()) void upload.abandon()
}

function preventUnload(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
