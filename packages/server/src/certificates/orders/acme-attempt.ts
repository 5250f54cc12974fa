import { setTimeout as sleep } from 'node:timers/promises'
import type { AcmeAccount } from '../acme/account.ts'
import { type Authorization, type Challenge, keyAuthorization } from '../acme/authorization.ts'
import { nextStep } from '../acme/next-step.ts'
import type { Order } from '../acme/order.ts'
import { AcmeProblem, type AcmeProblemKind } from '../acme/problem.ts'
import { findOpenOrder } from '../authorities/budget-store.ts'
import {
  expiredFailure,
  type Failure,
  failureFromProblem,
  interruptedFailure,
  misfitFailure,
} from '../jobs/failure.ts'
import type { Outcome, Progress } from '../jobs/issuer.ts'
import type { ClaimedJob } from '../jobs/job.ts'
import { unusableReason } from '../x509/issued-certificate.ts'
import { allowedChallengeTypes } from './challenge-types.ts'
import { type OrderContext, OrderInProgress } from './order-in-progress.ts'
import { placeOrder } from './place-order.ts'
import { firstPause, nextPoll } from './polling.ts'
import { downloadPreferredChain } from './preferred-chain.ts'
import { findSavedOrder, openOrderKey, saveChallengeResponses } from './saved-order.ts'

/** What a CA reports when it validates while our server is down and at most a proxy responds. */
const downtimeProblems: ReadonlySet<AcmeProblemKind> = new Set(['connection', 'unauthorized'])

/**
 * One attempt at an ACME order, resumed from wherever the last one left it. What must not be lost is stored before
 * the CA acts on it: the order URL and key as soon as they exist, challenge responses before the CA validates.
 */
export class AcmeAttempt {
  readonly #context: OrderContext
  readonly #job: ClaimedJob
  readonly #account: AcmeAccount
  #current: OrderInProgress | null = null
  #pause = firstPause
  readonly #startedAt = performance.now()

  constructor(context: OrderContext, job: ClaimedJob, account: AcmeAccount) {
    this.#context = context
    this.#job = job
    this.#account = account
  }

  async run(progress: Progress, stopping: AbortSignal): Promise<Outcome> {
    const { client, now, authority } = this.#context
    const account = this.#account
    const resumed = await this.#resume()
    if (resumed !== null && 'failure' in resumed) return { kind: 'failed', failure: resumed.failure }
    this.#current = resumed
    let hasOrdered = false
    while (!stopping.aborted) {
      const next = nextStep({
        order: this.#current?.order ?? null,
        authorizations: await this.#authorizations(this.#current),
        solvable: this.#current?.challengeTypes ?? [],
        answered: this.#current?.answered ?? new Set(),
        isFinalized: this.#current?.isFinalized ?? false,
        placedAt: this.#current?.placedAt ?? now(),
        now: now(),
      })
      if (next.step === 'new') {
        if (hasOrdered) return { kind: 'failed', failure: expiredFailure(authority.title), orderIsOver: true }
        hasOrdered = true
        const placed = await placeOrder(this.#context, this.#job, account)
        if ('failure' in placed) return { kind: 'failed', failure: placed.failure }
        this.#current = placed.order
        this.#pause = firstPause
        progress.ordered()
        continue
      }
      const current = this.#current
      if (current === null) throw new Error('There is no order to continue')
      switch (next.step) {
        case 'challenge':
          await this.#answer(next.challenges, current)
          // Create the CSR while the CA validates.
          current.csr(this.#job.row.name).catch(() => {})
          break
        case 'wait': {
          const { retryAt } = next
          const times = { now: now(), elapsed: performance.now() - this.#startedAt }
          const poll = nextPoll(this.#pause, { retryAt, expires: current.order.expires }, times)
          if (poll.kind === 'release') return { kind: 'later', at: poll.until }
          this.#pause = poll.nextPause
          await sleep(poll.duration, undefined, { signal: stopping }).catch(() => {})
          current.order = await client.readOrder(account, current.order.url)
          break
        }
        case 'finalize': {
          const csr = await current.csr(this.#job.row.name)
          current.order = await client.finalize(account, current.order, csr)
          current.isFinalized = true
          this.#pause = firstPause
          break
        }
        case 'download':
          return this.#download(next.url, current)
        case 'failed':
          return { kind: 'failed', failure: this.#failureFrom(next.problem, current), orderIsOver: true }
      }
    }
    return { kind: 'later', at: now() }
  }

  /** The saved order as the CA has it now; null if there is none or the CA no longer knows it. */
  async #resume(): Promise<OrderInProgress | { failure: Failure } | null> {
    const saved = findSavedOrder(this.#context, this.#job)
    if (saved === null) return null
    const { database, authority } = this.#context
    const logged = await findOpenOrder(database.read, authority.directoryUrl, this.#job.row.name)
    // Logged orders are only deleted once they are older than any that can be finished.
    const placedAt = logged?.at ?? 0
    const order = await this.#findOrder(saved.url)
    if (order === null) return null
    const { row } = this.#job
    const key = openOrderKey(this.#context, row.name, saved.sealedKey)
    // An order past pending has nothing left to validate.
    const allowed =
      order.status === 'pending'
        ? await allowedChallengeTypes(this.#context, row, this.#account)
        : { challengeTypes: [], label: null }
    if ('failure' in allowed) return allowed
    return new OrderInProgress({ order, ...key, ...allowed, placedAt })
  }

  async #findOrder(url: string): Promise<Order | null> {
    try {
      return await this.#context.client.readOrder(this.#account, url)
    } catch (error) {
      // For an unknown URL some CAs say "malformed", others just 404.
      if (error instanceof AcmeProblem && (error.status === 404 || error.kind === 'malformed')) return null
      throw error
    }
  }

  /** Skipped while the CA is validating: the order's own status shows when it is done. */
  async #authorizations(current: OrderInProgress | null): Promise<Authorization[]> {
    if (current === null) return []
    const { order, answered } = current
    const isValidating = order.status === 'pending' && answered.size > 0
    const isNeeded = order.status === 'pending' || order.status === 'invalid'
    if (!isNeeded || isValidating) return []
    const { client } = this.#context
    return Promise.all(order.authorizations.map((url) => client.readAuthorization(this.#account, url)))
  }

  async #answer(
    challenges: readonly { name: string; challenge: Challenge }[],
    { answered, label }: OrderInProgress,
  ): Promise<void> {
    const responses = await Promise.all(
      challenges.map(async ({ challenge: { token, type } }) => {
        const answer = await keyAuthorization(token, this.#account.key)
        return { type, token, keyAuthorization: answer, label: type === 'dns-01' ? label : null }
      }),
    )
    await saveChallengeResponses(this.#context, this.#job, responses)
    for (const { challenge } of challenges) {
      await this.#context.client.answerChallenge(this.#account, challenge)
      answered.add(challenge.url)
    }
  }

  async #download(url: string, { keys, sealedKey }: OrderInProgress): Promise<Outcome> {
    const { client, authority, preferredIssuer, now } = this.#context
    const { name } = this.#job.row
    const issued = await downloadPreferredChain(client, this.#account, url, preferredIssuer)
    const reason = unusableReason(issued.chainPem, { name, keys, now: now() })
    if (reason === null) return { kind: 'issued', issued, sealedKey }
    return { kind: 'failed', failure: misfitFailure(authority.title, reason), orderIsOver: true }
  }

  #failureFrom(problem: AcmeProblem, { answered }: OrderInProgress): Failure {
    const { title } = this.#context.authority
    const wasInterrupted = this.#job.isTakenOver && answered.size === 0
    return wasInterrupted && downtimeProblems.has(problem.kind)
      ? interruptedFailure(problem, title)
      : failureFromProblem(problem, title)
  }
}
