import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { domainWith } from './domain.test-kit.ts'
import { foldLive, isTroubled, troubleFirst } from './trouble-first.ts'

const inState = (state: Domain['state'], hostname: string): Domain => domainWith({ state, hostname })
const names = (domains: readonly Domain[]) => domains.map(({ hostname }) => hostname)

test('what has stopped comes first, then what is waited for, then the rest as it was', () => {
  const domains = [
    inState('live', 'a.com'),
    inState('pending', 'b.com'),
    inState('failed', 'c.com'),
    inState('live', 'd.com'),
    inState('drifted', 'e.com'),
  ]
  assert.deepEqual(names(troubleFirst(domains)), ['c.com', 'b.com', 'e.com', 'a.com', 'd.com'])
  assert.deepEqual(names(domains.filter(isTroubled)), ['c.com', 'e.com'])
})

test('of many domains the live ones fold, and never one that is not', () => {
  const live = Array.from({ length: 30 }, (_, at) => inState('live', `live-${at}.com`))
  const waiting = Array.from({ length: 12 }, (_, at) => inState('pending', `waiting-${at}.com`))
  assert.deepEqual(foldLive(live.slice(0, 10)).folded, [])
  assert.equal(foldLive(live).shown.length, 10)
  assert.equal(foldLive(live).folded.length, 20)
  const mixed = foldLive([...live, ...waiting])
  assert.deepEqual(names(mixed.shown), names(waiting))
  assert.equal(mixed.folded.length, 30)
})
