import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minute, second } from '../../kernel/clock.ts'
import {
  nextProbeVia,
  type ProbeEvidence,
  parseProbe,
  probeRetryAt,
  type StoredProbe,
  withAnswer,
  withFailure,
} from './stored-probe.ts'

const now = Date.UTC(2030, 0, 1)
const untried = parseProbe({ probe: null })

function evidence(via: ProbeEvidence['via'], serial = 'a1'): ProbeEvidence {
  return { at: '2030-01-01T00:00:00.000Z', address: '192.0.2.10', serial, via }
}

test('the edge is probed first, then the address in DNS, once per certificate', () => {
  let stored = untried
  const ways: (string | null)[] = []
  for (const serial of ['a1', 'b2']) {
    ways.push(nextProbeVia(stored, serial, now))
    stored = withAnswer(stored, evidence('edge', serial))
    ways.push(nextProbeVia(stored, serial, now))
    stored = withAnswer(stored, evidence('dns', serial))
    ways.push(nextProbeVia(stored, serial, now))
  }
  assert.deepEqual(ways, ['edge', 'dns', null, 'edge', 'dns', null])
})

test('an edge that does not answer is probed again after 1, 5 and 30 seconds, then every few minutes', () => {
  let stored = untried
  let at = now
  const waits: number[] = []
  for (let times = 0; times < 7; times++) {
    stored = withFailure(stored, { via: 'edge', serial: 'a1' }, at)
    const retryAt: number = probeRetryAt(stored, at) ?? assert.fail()
    assert.equal(nextProbeVia(stored, 'a1', retryAt - 1), null)
    assert.equal(nextProbeVia(stored, 'a1', retryAt), 'edge')
    waits.push(retryAt - at)
    at = retryAt
  }
  const rest = 10 * minute
  assert.deepEqual(waits, [second, 5 * second, 30 * second, 2 * minute, rest, rest, rest])
  assert.equal(probeRetryAt(stored, at), null)
})

test('a new certificate is probed immediately, however often the old one failed', () => {
  const failed = withFailure(withFailure(untried, { via: 'edge', serial: 'a1' }, now), evidence('edge'), now)
  assert.equal(nextProbeVia(failed, 'b2', now), 'edge')
  assert.equal(withFailure(failed, { via: 'edge', serial: 'b2' }, now).failed?.times, 1)
})

test('an unreachable public address is not probed again, and does not affect the domain', () => {
  const live = withAnswer(untried, evidence('edge'))
  const tried: StoredProbe = withFailure(live, { via: 'dns', serial: 'a1' }, now)
  assert.deepEqual([nextProbeVia(tried, 'a1', now), tried.edge, tried.dns], [null, live.edge, null])
})
