import { setTimeout as sleep } from 'node:timers/promises'
import { hour, minute, second } from '../../kernel/clock.ts'
import { purposes } from '../../secrets/sealed-values.ts'
import type { AcmeAccount } from '../acme/account.ts'
import { type Authorization, type Challenge, keyAuthorization } from '../acme/authorization.ts'
import { nextStep } from '../acme/next-step.ts'
import type { Order } from '../acme/order.ts'
import { AcmeProblem, type AcmeProblemKind } from '../acme/problem.ts'
import type { Outcome, Progress } from '../context.ts'
import { putChallenges } from '../jobs/challenge-store.ts'
import {
  expiredFailure,
  type Failure,
  failureFromProblem,
  interruptedFailure,
  misfitFailure,
} from '../jobs/failure.ts'
import { type ClaimedJob, recordProgress } from '../jobs/job-store.ts'
import { unusableReason } from '../x509/issued-certificate.ts'
import { keyPairFromPem } from '../x509/key-pair.ts'
import { allowedChallengeTypes } from './challenge-types.ts'
import { type OrderContext, OrderInProgress } from './order-in-progress.ts'
import { placeOrder } from './place-order.ts'
import { downloadPreferredChain } from './preferred-chain.ts'

/** A wait that the CA asks for longer than this is not waited for here. */
const longestPause = 30 * second
const longestWait = 2 * minute
const pauseOfSlow = minute
/** Most CAs are done within a moment, some take seconds: early looks are dense and cost little. */
const firstPause = 5
const slowestPause = 2 * second
const growth = 1.7
const challengesKept = 24 * hour
/** What a CA says that came to look while nobody was there, or only a proxy. */
const downtimeProblems: ReadonlySet<AcmeProblemKind> = new Set(['connection', 'unauthorized'])

/**
 * One attempt of an ACME order, from wherever it is. What must not be lost is stored before the CA acts on it: the
 * order's URL with the key as soon as it is known, answers to challenges before the CA is told to look.
 */
export class AcmeAttempt {
  readonly #parts: OrderContext
  readonly #job: ClaimedJob
  readonly #account: AcmeAccount
  #current: OrderInProgress | null = null
  #waited = 0
  #pause = firstPause

  constructor(parts: OrderContext, job: ClaimedJob, account: AcmeAccount) {
    this.#parts = parts
    this.#job = job
    this.#account = account
  }

  async run(telling: Progress, stopping: AbortSignal): Promise<Outcome> {
    const { client, now, authority } = this.#parts
    const account = this.#account
    const resumed = await this.#resume()
    if (resumed !== null && 'failure' in resumed) return { kind: 'failed', failure: resumed.failure }
    this.#current = resumed
    let hasBegun = false
    while (!stopping.aborted) {
      const next = nextStep({
        order: this.#current?.order ?? null,
        authorizations: await this.#authorizations(this.#current),
        solvable: this.#current?.ways ?? [],
        answered: this.#current?.answered ?? new Set(),
        now: now(),
      })
      if (next.step === 'new') {
        if (hasBegun) return { kind: 'failed', failure: expiredFailure(authority.title), orderIsOver: true }
        hasBegun = true
        const made = await placeOrder(this.#parts, this.#job, account)
        if ('failure' in made) return { kind: 'failed', failure: made.failure }
        this.#current = made.begun
        this.#pause = firstPause
        telling.ordered()
        continue
      }
      const current = this.#current
      if (current === null) throw new Error('There is no order to go on with')
      switch (next.step) {
        case 'challenge':
          await this.#answer(next.challenges, current)
          // While the CA looks.
          current.request(this.#job.row.name).catch(() => {})
          break
        case 'wait': {
          const later = await this.#wait(next.retryAt, stopping)
          if (later !== null) return { kind: 'later', at: later }
          current.order = await client.readOrder(account, current.order.url)
          break
        }
        case 'finalize': {
          const request = await current.request(this.#job.row.name)
          current.order = await client.finalize(account, current.order, request)
          this.#pause = firstPause
          break
        }
        case 'download':
          return this.#download(next.url, current)
        case 'failed':
          return { kind: 'failed', failure: this.#failureOf(next.problem, current), orderIsOver: true }
      }
    }
    return { kind: 'later', at: now() }
  }

  #failureOf(problem: AcmeProblem, { answered }: OrderInProgress): Failure {
    const { title } = this.#parts.authority
    const wasDead = this.#job.isTakenOver && answered.size === 0
    return wasDead && downtimeProblems.has(problem.kind)
      ? interruptedFailure(problem, title)
      : failureFromProblem(problem, title)
  }

  /** The order as the CA knows it, or null where there is none or it is gone. */
  async #resume(): Promise<OrderInProgress | { failure: Failure } | null> {
    const { sealing, authority } = this.#parts
    const { name, issuer, order_url, sealed_key } = this.#job.row
    if (order_url === null || sealed_key === null || issuer !== authority.directoryUrl) return null
    const order = await this.#find(order_url)
    if (order === null) return null
    const keys = keyPairFromPem(sealing.open(sealed_key, purposes.certificate(name)).toString())
    // What is proved already needs no way to be proved any more.
    const found =
      order.status === 'pending'
        ? await allowedChallengeTypes(this.#parts, this.#job.row, this.#account)
        : { ways: [] }
    if ('failure' in found) return found
    return new OrderInProgress({ order, keys, sealedKey: sealed_key, ways: found.ways })
  }

  async #find(orderUrl: string): Promise<Order | null> {
    try {
      return await this.#parts.client.readOrder(this.#account, orderUrl)
    } catch (error) {
      // CAs call a URL that they do not know "malformed", or just say 404.
      if (error instanceof AcmeProblem && (error.status === 404 || error.kind === 'malformed')) return null
      throw error
    }
  }

  /** While the CA only has to look, the order alone tells when it has. */
  async #authorizations(current: OrderInProgress | null): Promise<Authorization[]> {
    if (current === null) return []
    const { order, answered } = current
    const isWaiting = order.status === 'pending' && answered.size > 0
    const tells = order.status === 'pending' || order.status === 'invalid'
    if (!tells || isWaiting) return []
    const { client } = this.#parts
    return Promise.all(order.authorizations.map((url) => client.readAuthorization(this.#account, url)))
  }

  async #answer(
    challenges: readonly { name: string; challenge: Challenge }[],
    { answered }: OrderInProgress,
  ): Promise<void> {
    const { database, client, now } = this.#parts
    const rows = await Promise.all(
      challenges.map(async ({ name, challenge: { token, type } }) => ({
        token,
        name,
        kind: type,
        key_authorization: await keyAuthorization(token, this.#account.key),
        expires_at: now() + challengesKept,
      })),
    )
    await database.write(async (tx) => {
      // Only while the job is ours.
      await recordProgress(tx, this.#job, { issuer: this.#parts.authority.directoryUrl })
      await putChallenges(tx, rows)
    })
    for (const { challenge } of challenges) {
      await client.answerChallenge(this.#account, challenge)
      answered.add(challenge.url)
    }
  }

  /** When to go on, where that is too late to be waited for; null once it is time to look again. */
  async #wait(retryAt: number | null, stopping: AbortSignal): Promise<number | null> {
    const now = this.#parts.now()
    const pause = Math.max((retryAt ?? now) - now, this.#pause)
    this.#pause = Math.min(this.#pause * growth, slowestPause)
    this.#waited += pause
    if (pause > longestPause) return now + pause
    if (this.#waited > longestWait) return now + pauseOfSlow
    await sleep(pause, undefined, { signal: stopping }).catch(() => {})
    return null
  }

  async #download(url: string, { keys, sealedKey }: OrderInProgress): Promise<Outcome> {
    const { client, authority, preferredIssuer, now } = this.#parts
    const { name } = this.#job.row
    const issued = await downloadPreferredChain(client, this.#account, url, preferredIssuer)
    const why = unusableReason(issued.chainPem, { name, keys, now: now() })
    if (why === null) return { kind: 'issued', issued, sealedKey }
    return { kind: 'failed', failure: misfitFailure(authority.title, why), orderIsOver: true }
  }
}
