import { defaultJsonLimits } from '@masthead/contract/endpoints/endpoint.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseJson } from '../../kernel/parse-json.ts'
import { Problem } from '../../kernel/problem.ts'

/** Has JSON bodies counted before they are parsed. Their bytes are counted as they arrive, against `bodyLimit`. */
export function parseJsonBodies(app: FastifyInstance): void {
  const parser = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      const { entries: most } = request.routeOptions.config.json ?? defaultJsonLimits
      return parseJson(body, { most, check: ({ entries }) => refuseMore(entries, most), parseText })

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

/** Before a client that waits to be told so is told to send it. */
export function refuseTooLarge({ headers, routeOptions }: FastifyRequest): void {
  const isJson = headers['content-type']?.startsWith('application/json') === true
  if (!isJson || !(Number(headers['content-length']) > routeOptions.bodyLimit)) return
  throw new Problem('body_too_large', `This route takes at most ${routeOptions.bodyLimit} bytes of JSON.`)
}

function refuseMore(entries: number, most: number): void {
  if (entries <= most) return
  throw new Problem('invalid_input', `The body has more than ${most} values.`, {
    extra: { errors: [{ path: '', message: `must have at most ${most} values` }] },
  })
}
