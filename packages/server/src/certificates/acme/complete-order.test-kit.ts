import { setTimeout as delay } from 'node:timers/promises'
import { createCsr } from '../x509/certificate-fields.ts'
import { generateKeyPair, type KeyPair } from '../x509/key-pair.ts'
import type { AcmeAccount } from './account.ts'
import type { AcmeClient } from './acme-client.ts'
import type { ChallengeType } from './authorization.ts'
import { type NextStep, nextStep } from './next-step.ts'
import type { DownloadedChain, Order } from './order.ts'
import type { TestPebble } from './pebble.test-kit.ts'

/** Completes an order like production code: read it, decide the next step, do it. `client` may differ for each step. */
export class TestOrder {
  readonly steps: NextStep['step'][] = []
  readonly keys: KeyPair
  readonly #pebble: TestPebble
  readonly #account: AcmeAccount
  readonly #solvable: ChallengeType[]
  readonly #answered = new Set<string>()
  order: Order

  static async place(
    pebble: TestPebble,
    account: AcmeAccount,
    name: string,
    solvable: ChallengeType[] = ['http-01'],
  ) {
    const order = await pebble.client().newOrder(account, { names: [name] })
    return new TestOrder(pebble, account, order, await generateKeyPair(), solvable)
  }

  readonly #placedAt = Date.now()

  private constructor(
    pebble: TestPebble,
    account: AcmeAccount,
    order: Order,
    keys: KeyPair,
    solvable: ChallengeType[],
  ) {
    this.#pebble = pebble
    this.#account = account
    this.order = order
    this.keys = keys
    this.#solvable = solvable
  }

  async finish(client: () => AcmeClient, solve = true): Promise<DownloadedChain> {
    for (let round = 0; round < 200; round++) {
      const chain = await this.#advance(client(), solve)
      if (chain !== null) return chain
    }
    throw new Error(`The order did not finish: ${this.steps.join(', ')}`)
  }

  async #advance(client: AcmeClient, solve: boolean): Promise<DownloadedChain | null> {
    const account = this.#account
    this.order = await client.readOrder(account, this.order.url)
    const authorizations = await Promise.all(
      this.order.authorizations.map((url) => client.readAuthorization(account, url)),
    )
    const next = nextStep({
      order: this.order,
      authorizations,
      solvable: this.#solvable,
      answered: this.#answered,
      placedAt: this.#placedAt,
      now: Date.now(),
    })
    if (this.steps.at(-1) !== next.step) this.steps.push(next.step)
    switch (next.step) {
      case 'challenge':
        for (const { name, challenge } of next.challenges) {
          if (solve) await this.#pebble.solve(account, name, challenge)
          await client.answerChallenge(account, challenge)
          this.#answered.add(challenge.url)
        }
        return null
      case 'wait':
        await delay(25)
        return null
      case 'finalize': {
        const names = this.order.identifiers.map(({ value }) => value)
        await client.finalize(account, this.order, await createCsr(names, this.keys))
        return null
      }
      case 'download':
        return client.download(account, next.url)
      case 'failed':
        throw next.problem
      case 'new':
        throw new Error('The order is gone')
    }
  }
}
