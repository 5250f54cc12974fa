import { hkdfSync } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context, KeepResult } from '../database/database.ts'
import { minute } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import { decryptResponse, encryptResponse } from './idempotency-encryption.ts'
import { findRequest, saveResult } from './idempotency-store.ts'
import { readIdempotencyKey } from './request/idempotency-key.ts'

/** Far longer than any client repeats a request. */
const keptFor = 10 * minute

interface OneTimeCall {
  request: FastifyRequest
  reply: FastifyReply
  body: unknown
}

/**
 * Runs a request that uses up its link, token or password (`oneTime` in the contract). If it is repeated with the same
 * body and Idempotency-Key because its answer was lost, it gets the same result.
 *
 * Most of these callers are strangers, so the result is stored only in the transaction that carries the request out.
 * What it is stored under, and encrypted with, follows from the whole body and the key, neither of which is stored:
 * the database alone reveals nothing, not even a hash to guess passwords with.
 */
export async function runOneTime<T>(
  { database, now }: Context,
  { request, reply, body }: OneTimeCall,
  run: (keep: KeepResult<T>) => Promise<T>,
  /** Who is signed in, where that is part of what allows the request. */
  signedIn: string | null = null,
): Promise<T> {
  const key = readIdempotencyKey(request)
  if (key === undefined) return run(async () => {})
  const secret = JSON.stringify([request.method, request.url, signedIn, body])
  const id = { owner: ownerOf(secret, key), key: 'one-time' }

  const findResult = async (): Promise<{ result: T } | null> => {
    const row = await findRequest(database.read, id)
    if (row === undefined || row.answer === null || row.started_at <= now() - keptFor) return null
    reply.header('Idempotent-Replayed', 'true')
    return { result: decryptResponse(row.answer, secret, key) as T }
  }
  const earlier = await findResult()
  if (earlier !== null) return earlier.result
  try {
    return await run((tx, result) =>
      saveResult(tx, { ...id, started_at: now(), answer: encryptResponse(result, secret, key) }),
    )
  } catch (error) {
    // The first one may have been carried out in the meantime.
    const first = error instanceof Problem ? await findResult() : null
    if (first !== null) return first.result
    throw error
  }
}

function ownerOf(secret: string, idempotencyKey: string): string {
  const derived = hkdfSync('sha256', secret, idempotencyKey, 'masthead one-time request', 32)
  return Buffer.from(derived).toString('base64url')
}
