import { day } from '../../kernel/clock.ts'
import type { Authorization, Challenge, ChallengeType } from './authorization.ts'
import type { Order } from './order.ts'
import { AcmeProblem, problemFromDocument } from './problem.ts'

export type NextStep =
  /** Place an order: there is none that can still be finished. */
  | { step: 'new' }
  /** Put the responses in place, then ask the CA to validate each. */
  | { step: 'challenge'; challenges: { name: string; challenge: Challenge }[] }
  /** Wait for the CA and read everything again, not before `retryAt` if given. */
  | { step: 'wait'; retryAt: number | null }
  | { step: 'finalize' }
  | { step: 'download'; url: string }
  | { step: 'failed'; problem: AcmeProblem }

export interface OrderSituation {
  order: Order | null
  /** Required if the order is pending or invalid. */
  authorizations: readonly Authorization[]
  /** The challenge types we may use, preferred first. */
  solvable: readonly ChallengeType[]
  /** URLs of challenges we already asked the CA to validate; some CAs still list them as pending. */
  answered?: ReadonlySet<string>
  /** Whether we finalized it. Some CAs still show it as ready then. */
  isFinalized?: boolean
  /** When we placed the order. */
  placedAt: number
  now: number
}

/** As long as most CAs give it. The CA may never finish it, and need not say when it expires (RFC 8555, section 7.1.3). */
const longestOrder = 7 * day

/** Decides the next step of an order from the CA's responses alone, so an order can be resumed anywhere. */
export function nextStep(situation: OrderSituation): NextStep {
  const { order, authorizations } = situation
  if (order === null) return { step: 'new' }
  switch (order.status) {
    case 'valid':
      if (order.certificate !== undefined) return { step: 'download', url: order.certificate }
      return isOver(order, situation) ? { step: 'new' } : wait([order])
    case 'processing':
      return isOver(order, situation) ? { step: 'new' } : wait([order])
    case 'ready':
      if (isOver(order, situation)) return { step: 'new' }
      return situation.isFinalized === true ? wait([order]) : { step: 'finalize' }
    case 'pending':
      return whilePending(order, situation)
    case 'invalid': {
      const problem = problemWith(order, authorizations)
      if (problem !== null) return failed(problem)
      if (isOver(order, situation) || authorizations.some(isLost)) return { step: 'new' }
      return failed(new AcmeProblem('other', 'The CA failed the order without giving a reason'))
    }
  }
}

function whilePending(order: Order, situation: OrderSituation): NextStep {
  const { authorizations, solvable, answered } = situation
  const problem = problemWith(order, authorizations)
  if (problem !== null) return failed(problem)
  if (isOver(order, situation) || authorizations.some(isLost)) return { step: 'new' }

  const pending = authorizations.filter(({ status }) => status === 'pending')
  const challenges: { name: string; challenge: Challenge }[] = []
  for (const { identifier, challenges: offered } of pending) {
    if (offered.some(({ status, url }) => status !== 'pending' || answered?.has(url))) continue
    const challenge = solvable.map((type) => offered.find((one) => one.type === type)).find((one) => one)
    if (challenge === undefined) {
      const why = `The CA offers no challenge for ${identifier.value} that we can respond to`
      return failed(new AcmeProblem('other', why))
    }
    challenges.push({ name: identifier.value, challenge })
  }
  return challenges.length > 0 ? { step: 'challenge', challenges } : wait([order, ...pending])
}

/** Prefers the error of a challenge, which says more than that of the order. */
function problemWith(order: Order, authorizations: readonly Authorization[]): AcmeProblem | null {
  const refused = authorizations.filter(({ status }) => status === 'invalid')
  const document =
    refused.flatMap(({ challenges }) => challenges).find(({ error }) => error)?.error ?? order.error
  if (document !== undefined) return problemFromDocument(document)
  const name = refused[0]?.identifier.value
  if (name === undefined) return null
  return new AcmeProblem('unauthorized', `The CA refused ${name} without giving a reason`)
}

function isLost({ status }: Authorization): boolean {
  return status === 'deactivated' || status === 'expired' || status === 'revoked'
}

function isOver(
  { expires }: Pick<Order, 'expires'>,
  { placedAt, now }: Pick<OrderSituation, 'placedAt' | 'now'>,
): boolean {
  return now >= Math.min(expires ?? Number.POSITIVE_INFINITY, placedAt + longestOrder)
}

function wait(responses: readonly { retryAt: number | null }[]): NextStep {
  const times = responses.flatMap(({ retryAt }) => retryAt ?? [])
  return { step: 'wait', retryAt: times.length > 0 ? Math.min(...times) : null }
}

function failed(problem: AcmeProblem): NextStep {
  return { step: 'failed', problem }
}
