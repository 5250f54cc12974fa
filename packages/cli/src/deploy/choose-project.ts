import { basename, dirname } from 'node:path'
import { suggestSlug } from '@masthead/contract/slug.ts'
import { usageError } from '../command-error.ts'
import { projectName } from '../named-project.ts'

export interface WantedProject {
  /** Slug or id. */
  name: string
  /** Whether a person chose it, so that no other will do. */
  chosen: boolean
}

/** The project to publish to: as named, else after the folder. */
export function chooseProject(named: string | undefined, folder: string): WantedProject {
  if (named !== undefined) return { name: projectName(named), chosen: true }
  const suggested = suggestName(folder)
  if (suggested !== null) return { name: suggested, chosen: false }
  const message = `"${basename(folder)}" cannot be made into the name of a project.`
  throw usageError(message, 'Name one with --project SLUG.')
}

/** The name that a folder suggests for its project. */
export function suggestName(folder: string): string | null {
  const own = basename(folder)
  // Some names, such as "docs", are the platform's; with the folder above they are not.
  return suggestSlug(own) ?? suggestSlug(`${basename(dirname(folder))}-${own}`)
}
