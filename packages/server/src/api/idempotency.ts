import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { EndpointName } from '@masthead/contract/endpoints.ts'
import type { FastifyRequest } from 'fastify'
import type { Actor } from '../accounts/actor.ts'
import type { Context } from '../database/database.ts'
import { day, hour, minute } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import type { Call } from './handler.ts'
import {
  deleteKept,
  deleteRunning,
  findRequest,
  finishRequest,
  retakeRequest,
  startRequest,
} from './idempotency-store.ts'
import { HashedUpload } from './request/uploads.ts'

const keptFor = day
/** After this a request that never finished is taken to have died with its process. */
const runsAtMost = { json: 2 * minute, upload: hour }

/** Of requests that came and went while this one looked for them. */
const mostTries = 5

/** Runs a request with an Idempotency-Key once; its repetitions get the first answer. A failure may be repeated. */
export async function idempotently<N extends EndpointName, T>(
  { database, now }: Context,
  { request, reply, body, actor }: Call<N>,
  run: () => Promise<T>,
): Promise<T> {
  const key = request.headers['idempotency-key']
  if (key === undefined || actor === null || request.credential === null) return run()
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(key)) {
    throw new Problem('invalid_request', 'An Idempotency-Key has 1 to 200 visible ASCII characters.')
  }
  const { secret } = request.credential
  const id = { owner: createHash('sha256').update(secret).digest('base64url'), key }
  const upload = request.body instanceof Readable ? new HashedUpload(request.body) : null
  const fingerprint = fingerprintOf(request, actor, body)

  for (let tries = 0; tries < mostTries; tries++) {
    const startedAt = now()
    const row = { ...id, fingerprint, started_at: startedAt }
    if (await database.write((tx) => startRequest(tx, row))) return runAs(startedAt)
    const earlier = await findRequest(database.read, id)
    // It failed just now, and left the key to the next.
    if (earlier === undefined) continue
    const [first, length, sha256 = ''] = earlier.fingerprint.split(' ')
    if (first !== fingerprint) throw mismatch()
    if (earlier.answer !== null) {
      const announced = Number(request.headers['content-length'])
      const isSame = upload === null || (await upload.equals({ length: Number(length), sha256 }, announced))
      if (!isSame) throw mismatch()
      reply.header('Idempotent-Replayed', 'true')
      return unseal(earlier.answer, secret, key) as T
    }
    const staleBefore = now() - (upload === null ? runsAtMost.json : runsAtMost.upload)
    const isTakenOver =
      earlier.started_at < staleBefore &&
      (await database.write((tx) => retakeRequest(tx, id, earlier.started_at, startedAt)))
    if (isTakenOver) return runAs(startedAt)
    throw stillRunning()
  }
  throw stillRunning()

  /** Only while the row is still this request's: one that took too long has been taken over. */
  async function runAs(startedAt: number): Promise<T> {
    if (upload !== null) request.body = upload
    const mine = { ...id, started_at: startedAt }
    const answer = await run().catch(async (error: unknown) => {
      await database.write((tx) => deleteRunning(tx, mine)).catch(() => {})
      throw error
    })
    // It happened, so it is answered, even if the answer cannot be kept for a repetition.
    try {
      const content = await upload?.content()
      const whole = content ? `${fingerprint} ${content.length} ${content.sha256}` : fingerprint
      await database.write((tx) => finishRequest(tx, mine, whole, seal(answer, secret, id.key)))
    } catch (error) {
      request.log.warn({ err: error }, 'an answer could not be kept')
    }
    return answer
  }
}

function mismatch(): Problem {
  return new Problem('idempotency_mismatch', 'The first request with this key was another one.')
}

function stillRunning(): Problem {
  return new Problem('idempotency_conflict', 'The first request with this key has not ended yet.', {
    headers: { 'Retry-After': '1' },
  })
}

/** At the start of a process that has the database to itself: whatever was running is not running any more. */
export async function forgetInterruptedRequests({ database }: Context): Promise<void> {
  await database.write((tx) => deleteRunning(tx))
}

export async function forgetOldRequests({ database, now }: Context): Promise<void> {
  await database.write((tx) => deleteKept(tx, now() - keptFor))
}

/** An upload is not part of it: its hash is known, and added, once it was read. */
function fingerprintOf({ method, url, headers }: FastifyRequest, actor: Actor, body: unknown): string {
  const account = actor.kind === 'operator' ? null : (actor.account?.id ?? null)
  const parts = JSON.stringify([method, url, headers['content-type'], account, body])
  return createHash('sha256').update(parts).digest('base64url')
}

/** Answers may hold secrets (a new key). They are sealed with what only the caller has, so the database can not tell. */
function seal(answer: unknown, secret: string, key: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', sealingKey(secret, key), nonce)
  const sealed = Buffer.concat([cipher.update(JSON.stringify(answer ?? null)), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
}

function unseal(text: string, secret: string, key: string): unknown {
  const bytes = Buffer.from(text, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(secret, key), bytes.subarray(0, 12))
  decipher.setAuthTag(bytes.subarray(12, 28))
  const opened = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()])
  return JSON.parse(opened.toString()) ?? undefined
}

function sealingKey(secret: string, key: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, key, 'masthead idempotency', 32))
}
