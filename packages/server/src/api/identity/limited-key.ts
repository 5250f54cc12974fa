import type { Endpoint } from '@masthead/contract/endpoints/endpoint.ts'
import { projectParam } from '@masthead/contract/schemas/fields.ts'
import type { FastifyRequest } from 'fastify'
import type { Actor, KeyActor } from '../../accounts/actor.ts'
import type { Context } from '../../database/database.ts'
import { Problem } from '../../kernel/problem.ts'
import { isProject } from '../../projects/read.ts'

/** What a pipeline needs for publishing, and nothing that changes how the site is served or protected. */
const deployingRoutes =
  /^(GET \/v1\/projects\/\{project\}$|\w+ \/v1\/projects\/\{project\}\/deployments(\/|$))/

interface LimitedKey extends KeyActor {
  key: KeyActor['key'] & { projectId: string }
}

export function isLimitedKey(actor: Actor | null): actor is LimitedKey {
  return actor?.kind === 'key' && actor.key.projectId !== null
}

/**
 * Keeps a key in its project: it can only use routes below that project's address, so a new route of the account is
 * closed to it. The handler gets the id, because the slug could belong to another project by then.
 */
export async function keepInProject(
  context: Pick<Context, 'database'>,
  endpoint: Pick<Endpoint, 'route' | 'access'>,
  request: Pick<FastifyRequest, 'actor' | 'params'>,
): Promise<void> {
  const { actor } = request
  if (!isLimitedKey(actor) || endpoint.access === 'public' || endpoint.access === 'any') return
  const { account, key } = actor
  const params = request.params as { project?: string }
  const named = projectParam.safeParse(params.project).data
  if (named === undefined || !(await isProject(context, account.id, named, key.projectId))) {
    throw new Problem(
      'forbidden',
      `The key ${key.name} can only use one project, and this is not part of it.`,
    )
  }
  if (key.isOfPipeline && !deployingRoutes.test(endpoint.route)) {
    throw new Problem('forbidden', `The key ${key.name} is from a pipeline, and can only deploy.`)
  }
  params.project = key.projectId
}
