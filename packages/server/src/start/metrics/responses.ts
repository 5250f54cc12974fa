import type { RequestListener, ServerResponse } from 'node:http'
import { Counter, Histogram, type Registry } from 'prom-client'
import { isObserved, type Observed } from '../../edge/node-http/observed-response.ts'
import { ResponseCounts } from '../../edge/response-counts.ts'
import { second } from '../../kernel/clock.ts'

/** By which part of the server answered: `api` is everything on the dashboard's host, `site` everything else. */
export interface ResponsesByPart {
  readonly api: ResponseCounts
  readonly site: ResponseCounts
}

/** Counts what this process answers. */
export function countResponses(metrics: Registry): ResponsesByPart {
  const parts = { api: new ResponseCounts(), site: new ResponseCounts() }
  new Counter({
    name: 'masthead_responses_total',
    help: 'Answers by part of the server and status; 429 is not among 4xx',
    labelNames: ['part', 'status'],
    registers: [metrics],
    collect() {
      this.reset()
      for (const [part, counts] of Object.entries(parts)) {
        for (const [status, count] of Object.entries(counts.byClass())) this.inc({ part, status }, count)
      }
    },
  })
  return parts
}

const bucketsInSeconds = [0.01, 0.05, 0.1, 0.5, 1, 5]
const apiPath = '/v1/'

/** Counts the answers of the dashboard's host, and measures those of the API. */
export function measureApi(
  listener: RequestListener,
  counts: ResponseCounts,
  metrics: Registry,
): RequestListener {
  const durations = new Histogram({
    name: 'masthead_api_duration_seconds',
    help: 'From the arrival of a request to the head of its answer, for paths under /v1/',
    buckets: bucketsInSeconds,
    registers: [metrics],
  })
  // Streams of live updates stay open for long, and downloads depend on the client, so the head is what counts.
  function measure({ req, statusCode, arrivedAt }: ServerResponse & Observed): void {
    counts.count(statusCode)
    if (req.url?.startsWith(apiPath)) durations.observe((performance.now() - arrivedAt) / second)
  }

  return (req, res) => {
    if (isObserved(res)) res.onHead = measure
    listener(req, res)
  }
}
