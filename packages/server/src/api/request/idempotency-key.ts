import type { FastifyRequest } from 'fastify'
import { Problem } from '../../kernel/problem.ts'

export function readIdempotencyKey({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined || (typeof key === 'string' && /^[\x21-\x7e]{1,200}$/.test(key))) return key
  throw new Problem('invalid_request', 'Idempotency-Key must be 1 to 200 visible ASCII characters.')
}
