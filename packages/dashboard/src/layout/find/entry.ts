/** Something that can be found, and what choosing it does. */
export interface FindEntry {
  id: string
  kind: 'project' | 'domain' | 'page' | 'action'
  title: string
  /** Tells it from others that are called the same; it is found by this too. */
  detail?: string
  /** What else people call it; it is found by these as well as by its title. */
  alsoCalled?: readonly string[]
  choose: Choice
}

export type Choice =
  | { go: string }
  /** Outside of the dashboard, or a file where a name for it is given. */
  | { open: string; download?: string }
  | Deed

export const kindWords: Record<FindEntry['kind'], string> = {
  project: 'Project',
  domain: 'Domain',
  page: 'Page',
  action: 'Action',
}

/** What is done at once, and what is said while it is done. */
export interface Deed {
  run: () => Promise<void>
  running: string
}
