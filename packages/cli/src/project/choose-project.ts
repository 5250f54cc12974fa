import { basename, dirname } from 'node:path'
import { slugError, suggestSlug } from '@masthead/contract/project-settings.ts'
import type { CommandContext } from '../context.ts'
import { usageError } from '../errors/command-error.ts'

/** The project that was named, or the one of masthead.json. */
export function namedProject(context: CommandContext, ...named: readonly (string | undefined)[]): string {
  const project = named.find((name) => name !== undefined) ?? context.projectFile?.members.project
  if (project !== undefined) return parseProjectName(project)
  throw usageError(
    'No project given, and no masthead.json or masthead.yaml here names one.',
    'Add --project SLUG, or run `masthead init`. Run `masthead projects` to list yours.',
  )
}

/** A slug or an id as it is; anything else cannot name a project. */
function parseProjectName(text: string): string {
  const fault = /^prj_[a-z0-9]+$/.test(text) ? null : slugError(text)
  if (fault === null) return text
  throw usageError(`"${text}" is not a project: a slug ${fault}.`, 'Run `masthead projects` to list yours.')
}

export interface WantedProject {
  /** Slug or id. */
  name: string
  /** Whether a person chose it, so that no other will do. */
  chosen: boolean
}

/** The project to publish to: as named, else after the folder. */
export function chooseProject(named: string | undefined, folder: string): WantedProject {
  if (named !== undefined) return { name: parseProjectName(named), chosen: true }
  const suggested = suggestName(folder)
  if (suggested !== null) return { name: suggested, chosen: false }
  const message = `"${basename(folder)}" cannot be turned into a project name.`
  throw usageError(message, 'Choose a name with --project SLUG.')
}

/** The name that a folder suggests for its project. */
export function suggestName(folder: string): string | null {
  const own = basename(folder)
  // Some names, such as "docs", are the platform's; with the folder above they are not.
  return suggestSlug(own) ?? suggestSlug(`${basename(dirname(folder))}-${own}`)
}

/** What a command that is shown ends with, so that it is about the project that was given with `--project`. */
export function projectFlag(given: unknown): string {
  return typeof given === 'string' ? ` --project ${given}` : ''
}
