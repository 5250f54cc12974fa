import { basename, dirname } from 'node:path'
import { slugError, suggestSlug } from '@masthead/contract/slugs.ts'
import type { CommandContext } from '../context.ts'
import { usageError } from '../errors/command-error.ts'

/** The first name given, or the project in the project file. */
export function namedProject(context: CommandContext, ...named: readonly (string | undefined)[]): string {
  const project = named.find((name) => name !== undefined) ?? context.projectFile?.members.project
  if (project !== undefined) return parseProjectName(project)
  throw usageError(
    'No project given, and no masthead.json or masthead.yaml here names one.',
    'Add --project SLUG, or run `masthead init`. Run `masthead projects` to list yours.',
  )
}

/** Accepts a slug or an ID. */
function parseProjectName(text: string): string {
  const fault = /^prj_[a-z0-9]+$/.test(text) ? null : slugError(text)
  if (fault === null) return text
  const suggested = suggestSlug(text)
  throw usageError(
    `"${text}" is not a project: a slug ${fault}.`,
    suggested === null
      ? 'Run `masthead projects` to list yours.'
      : `Use a slug such as ${suggested}. \`masthead projects\` lists yours.`,
  )
}

export interface WantedProject {
  /** Slug or id. */
  name: string
  /** Whether the name was chosen explicitly, so that it must not be changed. */
  chosen: boolean
}

/** The project to publish to: the given one, or one named after the folder. */
export function chooseProject(named: string | undefined, folder: string): WantedProject {
  if (named !== undefined) return { name: parseProjectName(named), chosen: true }
  const suggested = suggestName(folder)
  if (suggested !== null) return { name: suggested, chosen: false }
  const message = `"${basename(folder)}" cannot be turned into a project name.`
  throw usageError(message, 'Choose a name with --project SLUG.')
}

export function suggestName(folder: string): string | null {
  const own = basename(folder)
  // With only the name of the parent, different folders would be published to one project.
  if (!/[a-z0-9]/i.test(own.normalize('NFKD'))) return null
  // Reserved slugs such as "docs" get the parent folder as a prefix.
  return suggestSlug(own) ?? suggestSlug(`${basename(dirname(folder))}-${own}`)
}

/** The flag that suggested commands need to keep the `--project` of this one. */
export function projectFlag(given: unknown): string {
  return typeof given === 'string' ? ` --project ${given}` : ''
}
