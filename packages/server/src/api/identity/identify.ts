import type { FastifyReply, FastifyRequest } from 'fastify'
import { limitsOf } from '../../accounts/account.ts'
import { type Actor, leftAccount } from '../../accounts/actor.ts'
import { Problem } from '../../kernel/problem.ts'
import { dropRequest } from '../../kernel/sockets/cut-off.ts'
import { callerOf } from '../../limits/caller-address.ts'
import { limitHeaders } from '../../limits/headers.ts'
import type { Limiter } from '../../limits/limiter.ts'
import type { Verdict } from '../../limits/verdict.ts'
import { type AuthenticationParts, type Credential, findActor, readCredential } from './authenticate.ts'
import { limitProblem, recordVerdict } from './rate-limit.ts'
import type { RejectionDelay } from './rejection-delay.ts'

declare module 'fastify' {
  interface FastifyRequest {
    actor: Actor | null
    credential: Credential | null
  }
}

export interface IdentifyParts extends AuthenticationParts {
  limiter: Limiter
  rejectionDelay: RejectionDelay
  isProxy: (address: string) => boolean
}

/**
 * Identifies the caller and counts the request: the first thing that happens, whatever the request is for. A wrong key
 * counts against the address and never against an account, or anyone could use up somebody else's quota. A valid key is
 * charged even if the request turns out to be invalid, or errors would be free. If we cannot find out who the caller
 * is, nobody is charged: a valid key must not count as wrong while the database is down.
 */
export async function identify(
  parts: IdentifyParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { context, limiter } = parts
  let failure: { error: unknown } | null = null
  try {
    request.credential = readCredential(request)
    const found = request.credential && findActor(parts, request.credential, request)
    // To wait for what is there already would cost as much as finding it.
    request.actor = found instanceof Promise ? await found : found
  } catch (error) {
    if (!(error instanceof Problem)) {
      setLimitHeaders(await limiter.peekAddress(request.ip), reply)
      throw error
    }
    failure = { error }
  }
  const judged = judge(limiter, request)
  const verdict = judged instanceof Promise ? await judged : judged
  if (request.actor?.kind === 'key') recordVerdict(context, request.actor, verdict, request.log)
  if (request.actor === null && !verdict.admitted) await delayRejection(parts, request)
  applyVerdict(verdict, reply)
  if (failure !== null) throw failure.error
}

/**
 * Identifies the caller of a request that took its time: a body may arrive hours after the head, when the key has been
 * revoked or the person has left.
 */
export async function identifyAgain(parts: AuthenticationParts, request: FastifyRequest): Promise<void> {
  const { actor, credential } = request
  if (actor === null || actor.kind === 'operator' || credential === null) return
  const current = await findActor(parts, credential, request)
  if (current?.kind === 'person' && current.account?.id !== actor.account?.id) {
    throw leftAccount()
  }
  request.actor = current
}

/** For a request that is too malformed to identify its caller. */
export async function identifyByAddress(
  parts: IdentifyParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const verdict = await parts.limiter.checkAddress(request.ip)
  if (!verdict.admitted) await delayRejection(parts, request)
  applyVerdict(verdict, reply)
}

async function delayRejection(
  { rejectionDelay, isProxy }: IdentifyParts,
  request: FastifyRequest,
): Promise<void> {
  const isForwarded = isProxy(request.raw.socket.remoteAddress ?? '')
  if (await rejectionDelay.wait(callerOf(request.ip), { isForwarded })) return
  dropRequest(request.raw)
  // Never settles, so that nothing answers.
  await new Promise(() => {})
}

function applyVerdict(verdict: Verdict, reply: FastifyReply): void {
  setLimitHeaders(verdict, reply)
  if (!verdict.admitted) throw limitProblem(verdict)
}

function setLimitHeaders(verdict: Verdict, reply: FastifyReply): void {
  reply.headers(limitHeaders(verdict))
}

function judge(limiter: Limiter, request: FastifyRequest): Verdict | Promise<Verdict> {
  const { actor } = request
  switch (actor?.kind) {
    case 'key':
      return limiter.check({
        accountId: actor.account.id,
        keyId: actor.key.id,
        limits: limitsOf(actor.account),
      })
    case 'person':
      return limiter.checkPerson({
        personId: actor.person.id,
        account: actor.account && { id: actor.account.id, limits: limitsOf(actor.account) },
      })
    case 'operator':
      return limiter.checkOperator()
    default:
      return limiter.checkAddress(request.ip)
  }
}
