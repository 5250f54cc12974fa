import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Health } from '@masthead/contract/schemas/operator.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { sql } from 'kysely'
import { waitingJob } from '../../certificates/certificate-row.test-kit.ts'
import type { FailureKind } from '../../certificates/jobs/failure.ts'
import type { JobRow } from '../../certificates/jobs/job.ts'
import { openDatabase } from '../../database/database.ts'
import { answerBytes, startAnswerer } from '../../dns/answerer.test-kit.ts'
import { nobody, onEachApi, startApi } from '../api.test-kit.ts'

const silent = { warn: () => {} }
const failedJob = waitingJob('www.acme.test')

async function dnsHealth(rcode: 'NXDOMAIN' | 'SERVFAIL') {
  await using resolver = await startAnswerer(({ packet, reply }) =>
    reply(answerBytes(packet, [], { flags: rcode === 'NXDOMAIN' ? 3 : 2 })),
  )
  const database = await openDatabase({ dialect: 'sqlite', file: ':memory:' }, silent)
  await using api = await startApi(database, { resolvers: [resolver] })
  const { body } = await api.send<Health>('GET /v1/operator/health', api.operator)
  await database.close()
  return body.checks.find(({ name }) => name === 'dns')
}

test('DNS is healthy when the resolver responds, even with NXDOMAIN', async () => {
  assert.deepEqual(await dnsHealth('NXDOMAIN'), {
    name: 'dns',
    ok: true,
    message: 'The DNS resolver is responding.',
  })
})

test('DNS is not healthy when the resolver responds with SERVFAIL', async () => {
  assert.deepEqual(await dnsHealth('SERVFAIL'), {
    name: 'dns',
    ok: false,
    message: 'The DNS resolver failed with SERVFAIL.',
  })
})

test('a check that hangs times out, and the others are still reported', {
  skip: skipWithout('postgresql'),
}, async () => {
  await using schema = await postgresSchema()
  const database = await openDatabase({ dialect: 'postgres', url: schema.url }, silent)
  await using api = await startApi(database)
  const ask = () => api.send<Health>('GET /v1/operator/health', api.operator)
  await database.write(async (tx) => {
    await sql`lock table domains in access exclusive mode`.execute(tx)
    // If each request waited for the table separately, no connection would be left for the others.
    const answers = await Promise.all(Array.from({ length: 20 }, ask))
    for (const { status, body } of answers) {
      assert.equal(status, 200)
      const well = body.checks.filter(({ ok }) => ok).map(({ name }) => name)
      assert.deepEqual(well, ['database', 'limiter', 'blobs', 'certificates'])
      assert.equal(body.counts, null)
    }
  })
  const { body } = await ask()
  assert.equal(body.counts?.domains.live, 0)
  await database.close()
})

onEachApi('status', (test) => {
  test('reports liveness and readiness to load balancers', async (api) => {
    const alive = await api.send('GET /healthz', nobody)
    assert.equal(alive.status, 200)
    assert.deepEqual(alive.body, { status: 'ok' })
    assert.deepEqual((await api.send('GET /readyz', nobody)).body, { status: 'ready' })
  })

  test('certificates are not healthy while the CA refuses our account or renewals, and say so', async (api) => {
    const { database } = api.context
    const error = {
      authority: 'Example CA',
      message: 'Example CA said: "The account is deactivated"',
      ...{ at: '2030-01-01T00:00:00.000Z', hint: '', problem: null, add: null },
    }
    const fail = (kind: FailureKind, change: Partial<JobRow> = {}) =>
      database.write(async (tx) => {
        await tx.deleteFrom('certificate_jobs').execute()
        const last_error = JSON.stringify({ ...error, kind })
        await tx
          .insertInto('certificate_jobs')
          .values({ ...failedJob, problem_kind: kind, last_error, ...change })
          .execute()
      })
    const certificates = async () => {
      const { body } = await api.send<Health>('GET /v1/operator/health', api.operator)
      const { ok, message } = body.checks.find(({ name }) => name === 'certificates') ?? assert.fail()
      return { ok, message }
    }
    const onTime = { ok: true, message: 'Every certificate attempt is on time.' }

    await fail('account_refused')
    const refused = await certificates()
    assert.equal(refused.ok, false)
    assert.match(
      refused.message,
      /^Example CA refuses .* www\.acme\.test cannot get a certificate\. Example CA said: .* MASTHEAD_CA\.$/,
    )
    await fail('unreachable', { reason: 'renewal', attempts: 2 })
    const overdue = await certificates()
    assert.equal(overdue.ok, false)
    assert.match(overdue.message, /^Example CA cannot be reached, .* www\.acme\.test cannot be renewed\./)
    // A new name alone is no emergency.
    await fail('server_internal', { attempts: 2 })
    const waiting = await certificates()
    assert.equal(waiting.ok, true)
    assert.match(waiting.message, /^Example CA issues no certificates because of a problem on its side\./)
    await fail('wildcard', { attempts: 2 })
    assert.match((await certificates()).message, /no nameserver .* Set MASTHEAD_DNS_LISTEN\./)
    // One lost connection, a name that its owner must mend, our own limit.
    await fail('unreachable', { reason: 'renewal' })
    assert.deepEqual(await certificates(), onTime)
    await fail('connection', { reason: 'renewal', attempts: 9 })
    assert.deepEqual(await certificates(), onTime)
    await fail('budget', { reason: 'renewal', attempts: 9 })
    assert.deepEqual(await certificates(), onTime)
    // A node of a newer version failed.
    await fail('of_a_newer_version' as FailureKind, { reason: 'renewal', attempts: 9 })
    assert.deepEqual(await certificates(), onTime)
  })

  test('gives metrics to the operator, as Prometheus reads them', async (api) => {
    const metrics = await api.send('GET /metrics', api.operator)
    assert.equal(metrics.status, 200)
    assert.match(metrics.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  })

  test('gives metrics to nobody else', async (api) => {
    const { id } = await api.newAccount()
    const { caller: admin } = await api.newKey(id, ['admin'])
    for (const caller of [nobody, admin, { authorization: 'Bearer guess' }]) {
      const { status, headers, body } = await api.send('GET /metrics', caller)
      assert.deepEqual([status, headers.get('www-authenticate')], [401, 'Bearer'])
      assert.equal(body.code, 'unauthenticated')
    }
  })
})
