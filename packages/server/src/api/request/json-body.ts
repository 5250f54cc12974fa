import { defaultJsonLimits } from '@masthead/contract/endpoints/endpoint.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseJson } from '../../kernel/parse-json.ts'
import { Problem } from '../../kernel/problem.ts'

/** Counts the values of JSON bodies before parsing them. Their bytes are limited by `bodyLimit` as they arrive. */
export function parseJsonBodies(app: FastifyInstance): void {
  const parser = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      const { entries: max } = request.routeOptions.config.json ?? defaultJsonLimits
      return parseJson(body, { most: max, check: ({ entries }) => refuseMore(entries, max), parseText })

      function parseText(text: string): unknown {
        let value: unknown
        parser(request, text, (error, parsed) => {
          if (error !== null) throw error
          value = parsed
        })
        return value
      }
    },
  )
}

export function isJson({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers['content-type']?.split(';')[0]?.trim().toLowerCase() === 'application/json'
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
