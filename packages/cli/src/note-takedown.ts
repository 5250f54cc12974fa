import type { Project } from '@masthead/contract/schemas/project.ts'
import type { Output } from './output.ts'
import { printable } from './printable.ts'

/** Says why visitors do not see the site, where the operator has taken it down. */
export function noteTakedown({ takedown }: Pick<Project, 'takedown'>, out: Output): void {
  if (!takedown) return
  const { status, reason } = takedown
  out.note(
    `The operator took this site down. Visitors get ${status} and this reason: ${printable(reason, 500)}`,
  )
}
