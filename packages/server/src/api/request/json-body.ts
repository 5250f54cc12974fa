import { isUtf8 } from 'node:buffer'
import { defaultJsonLimits } from '@masthead/contract/endpoints/endpoint.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseJson } from '../../kernel/parse-json.ts'
import { Problem } from '../../kernel/problem.ts'
import { formatOf, sendAs } from './archive-body.ts'

/** Counts the values of JSON bodies before parsing them. Their bytes are limited by `bodyLimit` as they arrive. */
export function parseJsonBodies(app: FastifyInstance): void {
  const parser = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      refuseOtherCharset(request.headers['content-type'])
      if (!isUtf8(body)) throw notText(body)
      const { entries: max } = request.routeOptions.config.json ?? defaultJsonLimits
      return parseJson(body, { most: max, check: ({ entries }) => refuseMore(entries, max), parseText })

      function parseText(text: string): unknown {
        let value: unknown
        parser(request, text, (error, parsed) => {
          if (error !== null) throw isParsable(text) ? forbiddenKey() : error
          value = parsed
        })
        refuseLoneSurrogates(text)
        return value
      }
    },
  )
}

function notText(body: Buffer): Problem {
  const format = formatOf(body)
  if (format === null) return new Problem('malformed_json', 'The body is not valid UTF-8.')
  return new Problem('malformed_json', `The body is a ${format}, and not JSON. ${sendAs(format)}`)
}

/** Whether only its keys are to blame. */
function isParsable(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function forbiddenKey(): Problem {
  const detail = 'The body has a key `__proto__`, or `prototype` inside of `constructor`. Use other names.'
  return new Problem('malformed_json', detail)
}

export function isJson({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers['content-type']?.split(';')[0]?.trim().toLowerCase() === 'application/json'
}

function refuseOtherCharset(contentType = ''): void {
  const charset = /;\s*charset="?([^\s";]*)/i.exec(contentType)?.[1] ?? 'utf-8'
  if (/^utf-?8$/i.test(charset)) return
  throw new Problem('unsupported_media_type', `Send JSON as UTF-8, not as ${charset.slice(0, 40)}.`)
}

const surrogate = /\\ud[89a-f]/i
/** Each escape but those of other characters. The group is a surrogate that is not part of a pair. */
const escapes = /\\ud[89ab]..\\ud[c-f]..|\\u(d[89a-f])..|\\[^u]/gi

/** They have no UTF-8, so the database would store something else than what we answer. */
function refuseLoneSurrogates(json: string): void {
  if (!surrogate.test(json)) return
  for (const [, lone] of json.matchAll(escapes)) {
    if (lone === undefined) continue
    throw new Problem('malformed_json', 'The body has half of a surrogate pair, such as \\ud800.')
  }
}

/** Runs before we send 100-continue to a client that waits for it. */
export function tooLargeProblem(request: FastifyRequest): Problem | null {
  const { headers, routeOptions } = request
  if (!isJson(request) || !(Number(headers['content-length']) > routeOptions.bodyLimit)) return null
  return new Problem('body_too_large', `This route accepts at most ${routeOptions.bodyLimit} bytes of JSON.`)
}

function refuseMore(entries: number, max: number): void {
  if (entries <= max) return
  throw new Problem('invalid_input', `The body has more than ${max} values.`, {
    extra: { errors: [{ path: '', message: `must have at most ${max} values` }] },
  })
}
