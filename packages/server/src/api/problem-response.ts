import { problems } from '@masthead/contract/problems.ts'
import { maxErrors, type ProblemDocument } from '@masthead/contract/schemas/problem-document.ts'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { BlobsUnavailableError } from '../blobs/blob-store.ts'
import { isDatabaseUnavailable, isStorageBroken, isStorageFull } from '../database/database-errors.ts'
import { Problem } from '../kernel/problem.ts'

/** PostgreSQL's SQLSTATE for text with a NUL character. */
const textHoldsNul = '22021'

export function problemDocument(problem: Problem, requestId: string): ProblemDocument {
  const { status, title } = problems[problem.code]
  return {
    type: `/docs/errors#${problem.code}`,
    title,
    status,
    detail: problem.message,
    code: problem.code,
    requestId,
    ...withFewErrors(problem.extra),
  }
}

/** Keeps the response small, however many errors there are. */
function withFewErrors(extra: Problem['extra']): Problem['extra'] {
  const { errors } = extra
  if (!Array.isArray(errors) || errors.length <= maxErrors) return extra
  return { ...extra, errors: errors.slice(0, maxErrors), moreErrors: errors.length - maxErrors }
}

export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = toProblem(error)
  const cause = problem.cause ?? (problem === error ? undefined : error)
  if (request.raw.aborted) request.log.debug({ err: cause ?? problem }, 'a client left during its request')
  else if (problem.status >= 500)
    request.log.error({ err: cause ?? problem, ...originOf(request) }, 'a request failed')
  // Fastify closes the connection after a rejected body. finish-requests.ts decides whether that is needed.
  reply.removeHeader('connection')
  return reply
    .status(problem.status)
    .headers(problem.headers)
    .type('application/problem+json')
    .serializer(JSON.stringify)
    .send(problemDocument(problem, request.id))
}

/** Without what the caller wrote: a path can have names of hosts and people. */
function originOf({ method, routeOptions, actor }: FastifyRequest) {
  const account = actor === null || actor.kind === 'operator' ? undefined : actor.account?.id
  return { method, route: routeOptions.url, account }
}

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (isDatabaseUnavailable(error)) {
    return new Problem('unavailable', 'The database is not responding.', {
      headers: { 'Retry-After': '1' },
      cause: error,
    })
  }
  if (error instanceof BlobsUnavailableError) {
    return new Problem('unavailable', 'The storage for files is not responding.', {
      headers: { 'Retry-After': '5' },
      cause: error,
    })
  }
  if (isStorageFull(error)) {
    return new Problem(
      'unavailable',
      'The server has no disk space left for this. Ask its operator to free some up.',
      {
        headers: { 'Retry-After': '60' },
        cause: error,
      },
    )
  }
  if (isStorageBroken(error)) {
    return new Problem(
      'unavailable',
      "The server's disk fails or is read-only. Ask its operator to check it.",
      {
        headers: { 'Retry-After': '60' },
        cause: error,
      },
    )
  }
  const { code, statusCode = 500 } = error as Partial<FastifyError>
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY' || code === 'FST_ERR_CTP_EMPTY_JSON_BODY') {
    return new Problem('malformed_json', 'The body is empty or not valid JSON.')
  }
  if (code === 'FST_ERR_BAD_URL') {
    const detail =
      'The path has a percent sign that does not start an encoded UTF-8 character. Write %25 for the sign itself.'
    return new Problem('invalid_request', detail)
  }
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') {
    return new Problem('not_found', 'This id is too long.')
  }
  if (code === textHoldsNul) {
    return new Problem('invalid_request', 'Text must not contain NUL characters.', { cause: error })
  }
  if (statusCode === 413) return new Problem('body_too_large', 'The body is larger than this route accepts.')
  if (statusCode === 415) {
    return new Problem(
      'unsupported_media_type',
      'This route does not accept this Content-Type, or none was sent.',
    )
  }
  if (statusCode >= 400 && statusCode < 500) {
    return new Problem('invalid_request', 'The request could not be understood.', { cause: error })
  }
  return new Problem('internal', 'The request failed. The details are in the log of the server.', {
    cause: error,
  })
}
