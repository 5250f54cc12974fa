import type { IncomingMessage, ServerResponse } from 'node:http'
import { canonicalTarget } from '../api/canonical-target.ts'
import { problemDocument } from '../api/problem-answer.ts'
import { unavailablePage } from '../edge/pages.ts'
import { newId } from '../ids.ts'
import { Problem } from '../problem.ts'

/** What the dashboard's host answers while the process behind it is away: to programs in their way, to people in ours. */
export function answerAway(req: IncomingMessage, res: ServerResponse): void {
  if (!canonicalTarget(req.url ?? '').startsWith('/v1/')) {
    const { status, headers, body } = unavailablePage
    res.writeHead(status, headers)
    res.end(body.kind === 'bytes' ? body.bytes : undefined)
    return
  }
  const id = newId('request', Date.now())
  const away = new Problem('unavailable', 'The API does not answer.')
  const document = JSON.stringify(problemDocument(away, id))
  res.writeHead(away.status, [
    ...['Content-Type', 'application/problem+json', 'Content-Length', String(Buffer.byteLength(document))],
    ...['Cache-Control', 'no-store', 'Retry-After', '1', 'X-Request-Id', id],
  ])
  res.end(document)
}
