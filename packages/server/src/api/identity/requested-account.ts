import { accountHeader, actsInAccount, type Endpoint } from '@masthead/contract/endpoints/endpoint.ts'
import { type Id, idSchema, projectParam } from '@masthead/contract/schemas/fields.ts'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../../database/database.ts'
import { Problem } from '../../kernel/problem.ts'
import { readOwner } from '../../projects/read.ts'

const accountId = idSchema('account')

/**
 * The account named by the request, else the account of the project in its path. The session checks whether the person
 * is a member.
 */
export async function requestedAccount(
  context: Context,
  request: FastifyRequest,
): Promise<Id<'account'> | undefined> {
  const named = namedAccount(request)
  if (named !== undefined) return accountId.safeParse(named).data
  const project = namedProject(request)
  return project === undefined ? undefined : readOwner(context, project)
}

/**
 * Refuses to act in an account other than the requested one. Somebody else's account and a missing one get the same
 * error; so do their projects, which the routes do not find in the person's default account.
 */
export function refuseOtherAccount(endpoint: Endpoint, request: FastifyRequest): void {
  const { actor } = request
  if (endpoint.access === 'public' || actor === null || actor.kind === 'operator') return
  const named = namedAccount(request)
  if (named !== undefined && named !== actor.account?.id) {
    const whose = actor.kind === 'key' ? `The key ${actor.key.name} does not` : 'You do not'
    throw new Problem('wrong_account', `${whose} belong to the requested account.`)
  }
  if (named !== undefined || namedProject(request) !== undefined || actor.kind === 'key') return
  if (actsInAccount(endpoint) && actor.hasSeveralAccounts) {
    throw new Problem(
      'account_required',
      'You belong to several accounts, and the request does not name one.',
    )
  }
}

/** As sent, valid or not. EventSource cannot send headers, so the stream takes the account as a query parameter. */
function namedAccount({ headers, query, routeOptions }: FastifyRequest): unknown {
  const header = headers[accountHeader.toLowerCase()]
  if (header !== undefined || routeOptions.url !== '/v1/stream') return header
  return (query as Record<string, unknown>).account
}

function namedProject({ params }: FastifyRequest): string | undefined {
  const { project } = params as Record<string, unknown>
  return project === undefined ? undefined : projectParam.safeParse(project).data
}
