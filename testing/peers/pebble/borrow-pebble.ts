import type { PebbleSettings, RunningPebble } from './pebble.ts'
import { controlPebble } from './pebble-controls.ts'
import { type LentPebble, type PebblePool, type PebblePorts, startPebblePool } from './pebble-pool.ts'

export interface BorrowedPebble extends RunningPebble, PebblePorts {}

/** For tests that run without the pool of a whole run. Its processes end with ours. */
let ownPool: Promise<PebblePool> | undefined

async function poolUrl(): Promise<string> {
  const given = process.env.MASTHEAD_TEST_PEBBLES
  if (given !== undefined) return given
  ownPool ??= startPebblePool()
  return (await ownPool).url
}

/**
 * A Pebble that nobody else uses until it is disposed of. Earlier tests may have left accounts and orders in it.
 * Start servers on its ports, which nobody else listens on either.
 */
export async function borrowPebble(settings: PebbleSettings = {}): Promise<BorrowedPebble> {
  const lent = await ask('lend', settings)
  let { pid } = lent
  const { controls, stopping, started } = controlPebble(lent, () => pid)
  const ordersBefore = controls.ordersMade()
  let isRunning = true
  return {
    ...lent,
    ...controls,
    ordersMade: () => controls.ordersMade() - ordersBefore,
    async stop() {
      if (!isRunning) return
      isRunning = false
      stopping()
      await ask(`stop/${lent.id}`)
    },
    async start() {
      pid = (await ask(`start/${lent.id}`)).pid
      started()
      isRunning = true
    },
    [Symbol.asyncDispose]: async () => void (await ask(`return/${lent.id}`)),
  }
}

async function ask(path: string, settings: PebbleSettings = {}): Promise<LentPebble> {
  const answer = await fetch(`${await poolUrl()}/${path}`, { method: 'POST', body: JSON.stringify(settings) })
  if (!answer.ok) throw new Error(`The pool of Pebbles answered ${path}: ${await answer.text()}`)
  return (await answer.json()) as LentPebble
}
