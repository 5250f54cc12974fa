import type { Client } from '@masthead/client/client.ts'
import type { RunVerb } from '../arguments/verbs.ts'
import type { CommandContext } from '../context.ts'
import { namedProject } from '../project/choose-project.ts'
import { parseHostname } from './hostname.ts'

/** The options of `masthead domains` and all its verbs. */
export interface DomainValues {
  readonly project?: string
  readonly move?: boolean
  readonly 'no-wait'?: boolean
  readonly all?: boolean
  readonly status?: string
  readonly remove?: boolean
  readonly chain?: string
  readonly key?: string
  readonly format?: string
  readonly provider?: string
  readonly off?: boolean
}

export interface DomainVerb extends RunVerb<DomainValues> {
  options?: readonly (keyof DomainValues)[]
}

export async function inProject(
  context: CommandContext,
  values: DomainValues,
): Promise<{ client: Client; params: { project: string } }> {
  const project = namedProject(context, values.project)
  return { client: await context.signedIn(), params: { project } }
}

export async function onDomain(
  context: CommandContext,
  [word = '']: readonly string[],
  values: DomainValues,
) {
  const hostname = parseHostname(word)
  const { client, params } = await inProject(context, values)
  return { client, params: { ...params, hostname } }
}
