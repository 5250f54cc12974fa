import { slugFault } from '@masthead/contract/slug.ts'
import { usageError } from './command-error.ts'
import type { Context } from './context.ts'

/** The project that was named, or the one of masthead.json. */
export function namedProject(context: Context, ...named: readonly (string | undefined)[]): string {
  const project = named.find((name) => name !== undefined) ?? context.projectFile?.members.project
  if (project !== undefined) return projectName(project)
  throw usageError(
    'No project is named, and there is no masthead.json or masthead.yaml here that names one.',
    'Add --project SLUG, or run `masthead init`. `masthead projects` lists yours.',
  )
}

/** A slug or an id as it is; anything else cannot name a project. */
export function projectName(text: string): string {
  const fault = /^prj_[a-z0-9]+$/.test(text) ? null : slugFault(text)
  if (fault === null) return text
  throw usageError(`"${text}" cannot be a project: a slug ${fault}.`, '`masthead projects` lists yours.')
}
