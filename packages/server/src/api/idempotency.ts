import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { EndpointName } from '@masthead/contract/endpoints.ts'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../database/database.ts'
import { day, hour, minute } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import type { Call } from './handler.ts'
import { decryptResponse, encryptResponse } from './idempotency-encryption.ts'
import {
  deleteOlderThan,
  deleteRequest,
  deleteRunning,
  findRequest,
  finishRequest,
  startRequest,
  takeOverRequest,
} from './idempotency-store.ts'
import type { LargeAnswers } from './large-answers.ts'
import { readIdempotencyKey } from './request/idempotency-key.ts'
import { HashedUpload } from './request/uploads.ts'

const keptFor = day
/** On SQLite, everything else waits for a batch. */
const removedAtOnce = 200
/** A request that has not finished after this long is assumed to have died with its process. */
const longestRun = { json: 2 * minute, upload: hour }

/** The row of a failed request may disappear between our insert and our read, so we try both again. */
const mostTries = 5

/** Runs a request with an Idempotency-Key once and replays its response to repeats. Failed requests can be retried. */
export async function runIdempotently<N extends EndpointName, T>(
  { database, now }: Context,
  largeAnswers: LargeAnswers,
  call: Call<N>,
  handler: (call: Call<N>) => Promise<T>,
): Promise<T> {
  const { request, reply, body, actor } = call
  if (actor === null || request.credential === null) return handler(call)
  const key = readIdempotencyKey(request)
  if (key === undefined) return handler(call)
  const { secret } = request.credential
  const id = { owner: createHash('sha256').update(secret).digest('base64url'), key }
  const upload = request.body instanceof Readable ? new HashedUpload(request.body) : null
  const accountId = actor.kind === 'operator' ? null : (actor.account?.id ?? null)
  const fingerprint = fingerprintOf(request, accountId, body)

  for (let tries = 0; tries < mostTries; tries++) {
    const startedAt = now()
    const row = { ...id, fingerprint, started_at: startedAt }
    if (await database.write((tx) => startRequest(tx, row))) return runAs(startedAt)
    const earlier = await findRequest(database.read, id)
    // It failed in the meantime and freed the key.
    if (earlier === undefined) continue
    const [first, length, sha256 = ''] = earlier.fingerprint.split(' ')
    if (first !== fingerprint) throw mismatch()
    if (earlier.answer !== null) {
      const announced = Number(request.headers['content-length'])
      const isSame = upload === null || (await upload.equals({ length: Number(length), sha256 }, announced))
      if (!isSame) throw mismatch()
      reply.header('Idempotent-Replayed', 'true')
      return decryptResponse(earlier.answer, secret, key) as T
    }
    const staleBefore = now() - (upload === null ? longestRun.json : longestRun.upload)
    const isTakenOver =
      earlier.started_at < staleBefore &&
      (await database.write((tx) => takeOverRequest(tx, id, earlier.started_at, startedAt)))
    if (isTakenOver) return runAs(startedAt)
    throw stillRunning()
  }
  throw stillRunning()

  async function runAs(startedAt: number): Promise<T> {
    if (upload !== null) request.body = upload
    // The start time identifies our row: if another request has taken it over, we leave it alone.
    const running = { ...id, started_at: startedAt }
    const response = await handler(call).catch(async (error: unknown) => {
      await database.cleanUp((tx) => deleteRunning(tx, running))
      throw error
    })
    // The request succeeded, so respond even if the response cannot be stored for repeats.
    try {
      const content = await upload?.content()
      const fullFingerprint = content ? `${fingerprint} ${content.length} ${content.sha256}` : fingerprint
      const answer = encryptResponse(response, secret, id.key)
      const forgotten = largeAnswers.add(accountId ?? '', running, answer)
      await database.write(async (tx) => {
        await finishRequest(tx, running, fullFingerprint, answer)
        if (forgotten !== undefined) await deleteRequest(tx, forgotten)
      })
    } catch (error) {
      request.log.warn({ err: error }, 'could not store a response for idempotent replay')
    }
    return response
  }
}

function mismatch(): Problem {
  return new Problem('idempotency_mismatch', 'This Idempotency-Key was already used for a different request.')
}

function stillRunning(): Problem {
  return new Problem(
    'idempotency_conflict',
    'The first request with this Idempotency-Key is still running.',
    {
      headers: { 'Retry-After': '1' },
    },
  )
}

/** Call at startup if no other process uses this database: unfinished requests died with the previous process. */
export async function forgetInterruptedRequests({ database }: Context): Promise<void> {
  await database.write((tx) => deleteRunning(tx))
}

/** Deletes old requests. Returns whether there may be more. */
export async function forgetOldRequests({ database, now }: Context): Promise<boolean> {
  const removed = await database.writeUnsynced((tx) => deleteOlderThan(tx, now() - keptFor, removedAtOnce))
  return removed === removedAtOnce
}

/** Excludes uploaded bytes: their hash is only known, and added, once they have been read. */
function fingerprintOf(
  { method, url, headers }: FastifyRequest,
  account: string | null,
  body: unknown,
): string {
  const parts = JSON.stringify([method, url, headers['content-type'], account, body])
  return createHash('sha256').update(parts).digest('base64url')
}
