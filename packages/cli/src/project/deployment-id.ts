import type { Id } from '@masthead/contract/schemas/fields.ts'
import { usageError } from '../errors/command-error.ts'

/** `also` is appended to the suggested command. */
export function parseDeploymentId(word: string | undefined, also: string): Id<'deployment'> {
  if (word !== undefined && /^dpl_[a-z0-9]+$/.test(word)) return word as Id<'deployment'>
  throw usageError(
    word === undefined ? 'The deployment ID is missing.' : `"${word}" is not a deployment ID.`,
    `Run \`masthead deployments${also}\` to list the IDs.`,
  )
}
