import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '@masthead/client/client.ts'
import type { AccountEvent } from '@masthead/contract/schemas/account.ts'
import { NewEvents } from './new-events.ts'

const { signal } = new AbortController()

/** An activity with these numbers as ids, and how often it was asked. */
function activity(...numbers: number[]) {
  const ids = numbers.map(idOf)
  const state = { asked: 0, add: (...more: number[]) => void ids.push(...more.map(idOf)) }
  const list = async ({ query }: { query: { limit: number; cursor?: string } }) => {
    state.asked++
    const { limit, cursor } = query
    const below = ids
      .toSorted()
      .reverse()
      .filter((id) => cursor === undefined || id < cursor)
    const items = below.slice(0, limit).map((id) => ({ id }) as AccountEvent)
    return { items, next: below.length > limit ? (items.at(-1)?.id ?? null) : null }
  }
  return Object.assign(state, { list: list as unknown as Client['listEvents'] })
}

const idOf = (number: number) => `evt_${String(number).padStart(8, '0')}`
const upTo = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index)
const numbersOf = (events: readonly AccountEvent[]) => events.map(({ id }) => Number(id.slice(4)))

test('only what happened since is new, oldest first, each once', async () => {
  const account = activity(1, 2, 3)
  const events = await NewEvents.from(account.list, {}, signal)
  assert.deepEqual(await events.read(signal), [])
  account.add(5, 4)
  assert.deepEqual(numbersOf(await events.read(signal)), [4, 5])
  assert.deepEqual(await events.read(signal), [])
})

test('an event whose id is lower than one that was read is not missed', async () => {
  const account = activity(...upTo(300))
  const events = await NewEvents.from(account.list, {}, signal)
  account.add(1_000)
  assert.deepEqual(numbersOf(await events.read(signal)), [1_000])
  account.add(999)
  assert.deepEqual(numbersOf(await events.read(signal)), [999])
})

test('it reads as many pages as have new events and no more', async () => {
  const account = activity(...upTo(1_000))
  const events = await NewEvents.from(account.list, {}, signal)
  account.add(...upTo(250, 1_000))
  account.asked = 0
  assert.deepEqual(numbersOf(await events.read(signal)), upTo(250, 1_000))
  assert.equal(account.asked, 3)
})

test('after a flood the oldest are left out, and what is remembered stays small', async () => {
  const account = activity()
  const events = await NewEvents.from(account.list, {}, signal)
  for (let from = 0; from < 20_000; from += 5_000) {
    account.add(...upTo(5_000, from))
    assert.deepEqual(numbersOf(await events.read(signal)), upTo(1_000, from + 4_000))
  }
  assert.deepEqual(await events.read(signal), [])
})
