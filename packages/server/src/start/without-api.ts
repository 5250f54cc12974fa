import { type IncomingMessage, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Registry } from 'prom-client'
import { unreadablePath } from '../kernel/problem.ts'
import type { MayReadMetrics } from '../kernel/tokens.ts'

const plainText = 'text/plain; charset=utf-8'
const json = 'application/json; charset=utf-8'

export interface WithoutApiParts {
  metrics: Pick<Registry, 'metrics' | 'contentType'>
  mayReadMetrics: MayReadMetrics
  /** Whether this process is about to stop. */
  isLeaving: () => boolean
}

/**
 * Answers for the platform in a process without the API, mainly to load balancers. It is ready until it stops: an edge
 * keeps serving cached sites while the database is down, and must stay in rotation then.
 */
export function answerWithoutApi({ metrics, mayReadMetrics, isLeaving }: WithoutApiParts): RequestListener {
  type Answer = () => Promise<[status: number, type: string, body: string]>
  const readiness: Answer = async () =>
    isLeaving()
      ? [503, json, JSON.stringify({ status: 'stopping' })]
      : [200, json, JSON.stringify({ status: 'ready' })]
  const answers: Record<string, Answer> = {
    '/healthz': async () => [200, json, JSON.stringify({ status: 'ok' })],
    '/readyz': readiness,
    '/readyz/sites': readiness,
    '/metrics': async () => [200, metrics.contentType, await metrics.metrics()],
  }
  return (req, res) => {
    const path = req.url?.split('?', 1)[0] ?? ''
    const answer = isRead(req) && Object.hasOwn(answers, path) ? answers[path] : undefined
    if (path === '/metrics' && !mayReadMetrics(req.headers.authorization)) {
      res.setHeader('WWW-Authenticate', 'Bearer')
      return send(res, 401, plainText, 'Send the operator key or the metrics token.\n')
    }
    if (path.startsWith(`${unreadablePath}/`)) {
      const status = Number(path.slice(unreadablePath.length + 1))
      if (STATUS_CODES[status] !== undefined) return send(res, status, plainText, `${STATUS_CODES[status]}\n`)
    }
    if (answer === undefined)
      return send(res, 404, plainText, 'The dashboard and the API run on another server.\n')
    answer().then(
      ([status, type, body]) => send(res, status, type, body),
      () => send(res, 500, plainText, 'Could not read the metrics.\n'),
    )
  }
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD'
}

function send(res: ServerResponse, status: number, type: string, body: string): void {
  res.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' })
  res.end(body)
}
