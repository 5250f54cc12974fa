import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day, hour, minute } from '../../kernel/clock.ts'
import type { FailureKind } from './failure.ts'
import type { Issuer, Outcome } from './issuer.ts'
import type { JobRow } from './job.ts'
import { tryAuthorities } from './try-authorities.ts'

const start = Date.UTC(2030, 0, 1)
const certificate = { chainPem: '', serial: '01', notBefore: start, notAfter: start + 90 * day }
const issued: Outcome = { kind: 'issued', issued: certificate, sealedKey: '' }

const job: JobRow = {
  ...{ name: 'www.acme.test', reason: 'first', challenge_kind: 'http-01', account_id: null, priority: 0 },
  ...{ issuer: null, order_url: null, sealed_key: null, replaces: null, last_error: null },
  ...{ attempts: 0, rung: 0, problem_kind: null, generation: 0, lease_owner: null, lease_until: 0 },
  ...{ next_attempt_at: start, asked_at: start, created_at: start },
}

/** Authorities that issue, or fail as the test says. */
function startAuthorities(...titles: [string, ...string[]]) {
  const clock = { at: start }
  const failing = new Map<string, FailureKind>()
  const retryAts = new Map<string, number>()
  const asked: { title: string; replaces: string | null }[] = []
  const issuerOf = (title: string): Issuer => ({
    kind: 'acme',
    id: `https://${title}.example/directory`,
    title,
    async attempt({ row }) {
      asked.push({ title, replaces: row.replaces })
      const kind = failing.get(title)
      if (kind === undefined) return issued
      const failure = { kind, message: kind, document: null, retryAt: retryAts.get(title) ?? null }
      return { kind: 'failed', failure }
    },
    closeOrder: async () => {},
    readRenewalInfo: async () => null,
    caIdentities: () => [],
  })
  const [first, ...others] = titles
  const context = {
    issuers: [issuerOf(first), ...others.map(issuerOf)] as const,
    now: () => clock.at,
  }

  /** Whose outcome counts, what it is, and who was asked. */
  async function run(row: Partial<JobRow> = {}, current: string | null = null) {
    asked.length = 0
    const claimed = { row: { ...job, ...row }, owner: 'worker', isTakenOver: false }
    const { signal } = new AbortController()
    const { issuer, outcome } = await tryAuthorities(
      context,
      claimed,
      current,
      { ordered() {}, tried() {} },
      signal,
    )
    const how = outcome.kind === 'failed' ? outcome.failure.kind : outcome.kind
    return { by: issuer.title, how, asked: asked.map(({ title }) => title) }
  }

  return { clock, failing, retryAts, asked, run }
}

test('an authority that is down is left alone for a minute, unless all are', async () => {
  for (const outage of ['unreachable', 'server_internal', 'bad_nonce'] as const) {
    const { run, failing, clock } = startAuthorities('first', 'second')
    failing.set('first', outage)
    assert.deepEqual(await run(), { by: 'second', how: 'issued', asked: ['first', 'second'] })
    clock.at += minute - 1
    assert.deepEqual(await run(), { by: 'second', how: 'issued', asked: ['second'] })
    clock.at += 1
    failing.delete('first')
    assert.deepEqual(await run(), { by: 'first', how: 'issued', asked: ['first'] })
    for (const title of ['first', 'second']) failing.set(title, outage)
    assert.deepEqual((await run()).asked, ['first', 'second'])
    assert.deepEqual((await run()).asked, ['first', 'second'])
  }
})

test('an authority that was down is asked again once the clock has been set back', async () => {
  const { run, failing, clock } = startAuthorities('first', 'second')
  failing.set('first', 'unreachable')
  await run()
  failing.delete('first')
  clock.at -= day
  assert.deepEqual(await run(), { by: 'first', how: 'issued', asked: ['first'] })
})

test('an authority that only refuses this name is asked for the next one', async () => {
  const { run, failing } = startAuthorities('first', 'second')
  failing.set('first', 'rejected_name')
  for (let n = 0; n < 2; n++) assert.deepEqual((await run()).asked, ['first', 'second'])
})

test('an order under way is continued first, and given up for another authority only if it fails again', async () => {
  const { run, failing, clock } = startAuthorities('first', 'second')
  const order = { issuer: 'https://second.example/directory', order_url: 'https://second.example/order/1' }
  assert.deepEqual((await run(order)).asked, ['second'])
  assert.deepEqual((await run({ ...order, order_url: null })).asked, ['first'])
  failing.set('second', 'bad_nonce')
  assert.deepEqual(await run(order), { by: 'second', how: 'bad_nonce', asked: ['second'] })
  assert.deepEqual((await run({ ...order, problem_kind: 'bad_nonce' })).by, 'first')
  clock.at += minute
  // Such an order cannot be finished.
  failing.set('second', 'caa')
  assert.deepEqual((await run(order)).by, 'first')
})

test('if all fail, the one that can be retried soonest counts, and a refusal for good last', async () => {
  const { run, failing, retryAts } = startAuthorities('first', 'second', 'third')
  failing.set('first', 'rejected_name').set('second', 'rate_limited').set('third', 'budget')
  assert.deepEqual((await run()).by, 'third')
  retryAts.set('third', start + 2 * hour)
  assert.deepEqual((await run()).by, 'second')
  failing.set('second', 'malformed').set('third', 'malformed')
  assert.deepEqual((await run()).by, 'first')
})

test('what an order replaces is told only to the authority that issued it', async () => {
  const { run, failing, asked } = startAuthorities('first', 'second')
  failing.set('first', 'budget')
  await run({ replaces: 'an.id' }, 'https://second.example/directory')
  assert.deepEqual(asked, [
    { title: 'first', replaces: null },
    { title: 'second', replaces: 'an.id' },
  ])
})
