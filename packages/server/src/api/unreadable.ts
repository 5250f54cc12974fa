import type { FastifyInstance } from 'fastify'
import { Problem } from '../problem.ts'
import { unreadablePath } from '../unreadable-path.ts'

const problemByStatus: Record<string, () => Problem> = {
  408: () => new Problem('request_timeout', 'The request did not arrive in time.'),
  431: () => new Problem('headers_too_large', 'The request line and the headers are larger than 16 KiB.'),
}

/** Refuses what the edge could not read. It is counted as everything below `/v1/` is. */
export function refuseUnreadable(app: FastifyInstance): void {
  app.get<{ Params: { status: string } }>(`${unreadablePath}/:status`, async ({ params }) => {
    throw (
      problemByStatus[params.status]?.() ??
      new Problem(
        'invalid_request',
        'What was sent is not HTTP/1.1: a line of it is malformed, or it does not name exactly one Host.',
      )
    )
  })
}
