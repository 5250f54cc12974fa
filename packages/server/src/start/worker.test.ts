import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import { Registry } from 'prom-client'
import type { BlobStore } from '../blobs/blob-store.ts'
import { createInternalIssuer, ensureInternalRoot } from '../certificates/internal-ca/internal-issuer.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { type Site, startPublishing } from '../deployments/deployments.test-kit.ts'
import type { DeploymentRow } from '../deployments/store.ts'
import type { DomainContext } from '../domains/context.ts'
import { startDomains, withSilentDns } from '../domains/domains.test-kit.ts'
import { startProof } from '../domains/proofs/start-proof.ts'
import { recordTimeline } from '../domains/timeline/timeline.ts'
import { system } from '../events/record-event.ts'
import { day, minute } from '../kernel/clock.ts'
import { createdAt, newId } from '../kernel/ids.ts'
import { inviteIn } from '../people/invitations.ts'
import { generateMasterKey } from '../secrets/master-key.ts'
import { createSealing } from '../secrets/sealing.ts'
import { startWorker, type Worker, type WorkerParts } from './worker.ts'

const site: Site = Object.fromEntries(
  Array.from({ length: 20 }, (_, n) => [`/${n}.html`, `${n} `.repeat(200)]),
)

async function partsFor(context: DomainContext, error: (details: object) => void): Promise<WorkerParts> {
  const issuing = { ...context, sealing: createSealing([generateMasterKey()]) }
  const issuer = createInternalIssuer(issuing, await ensureInternalRoot(issuing))
  const nobody = { edgeAt: { host: '127.0.0.1', port: 1 }, publicPort: 1 }
  return {
    certificates: { ...issuing, issuers: [issuer] },
    sealing: issuing.sealing,
    webhookDns: context.dns,
    isAlone: true,
    wantsPlatformWildcard: false,
    probing: nobody,
    mail: { settings: null, dashboard: 'http://localhost:8080' },
    log: { error, warn() {}, info() {} },
    metrics: new Registry(),
  }
}

onEachDatabase('the worker', ({ open }) => {
  test('a job that fails is logged, and retried until it succeeds', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const context = withSilentDns(publishing.context)
    const { id } = await publishing.publish(site)
    const broken = new Error('the disk is not responding')
    let failures = 0
    const readDocument: BlobStore['readDocument'] = (name) =>
      failures++ < 1 ? Promise.reject(broken) : context.blobs.readDocument(name)
    const logged: { err: AggregateError; job: string }[] = []
    const parts = await partsFor(context, (details) => logged.push(details as (typeof logged)[0]))
    const worker = startWorker({ ...context, blobs: { ...context.blobs, readDocument } }, parts)
    await until(() => logged.length > 0)
    publishing.clock.at += minute
    await until(async () => (await publishing.find(id))?.encoded_at !== null)
    await worker.stop()
    assert.deepEqual(
      logged.map(({ err, job }) => [err.errors, job]),
      [[[broken], 'compress files']],
    )
    const metrics = (await parts.metrics.metrics()).split('\n')
    for (const line of [
      'masthead_job_failures_total{task="compress files"} 1',
      'masthead_job_failures_total{task="renew certificates"} 0',
      'masthead_job_failures_total{task="deliver webhooks"} 0',
    ]) {
      assert.ok(metrics.includes(line), line)
    }
  })

  test('a check of a domain or a proof that fails counts as a failure of its job', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { account, clock } = domains
    await domains.add('acme.com')
    await startProof(domains.context, { accountId: account.id, by: system, domain: 'acme.com' })
    clock.at += minute
    const fail = () => Promise.reject(new Error('broken'))
    const context = { ...domains.context, dns: { resolve: fail, findZone: fail, askNameservers: fail } }
    const parts = await partsFor(context, () => {})
    await using _ = stopping(startWorker(context, parts))
    for (const task of ['check domains', 'check proofs of domains']) {
      const counted = new RegExp(`^masthead_job_failures_total\\{task="${task}"\\} [1-9]`, 'm')
      await until(async () => counted.test(await parts.metrics.metrics()))
    }
  })

  test('it stops after the current file, and the next worker continues from there', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const context = withSilentDns(publishing.context)
    const { id } = await publishing.publish(site)
    const encodedAt = async (): Promise<DeploymentRow['encoded_at'] | undefined> =>
      (await publishing.find(id))?.encoded_at
    const reached = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    let reads = 0
    const read: BlobStore['read'] = async (key) => {
      reads++
      reached.resolve()
      await goOn.promise
      return context.blobs.read(key)
    }
    const parts = await partsFor(context, (details) => assert.fail(String(details)))
    const worker = startWorker({ ...context, blobs: { ...context.blobs, read } }, parts)
    await reached.promise
    const stopped = worker.stop()
    goOn.resolve()
    await stopped
    assert.equal(reads, 1)
    assert.equal(await encodedAt(), null)

    const next = startWorker(context, { ...parts, metrics: new Registry() })
    await until(async () => (await encodedAt()) !== null)
    await next.stop()
    assert.deepEqual(await publishing.contents(await publishing.publish(site)), site)
  })

  test('it deletes timeline entries after 90 days, however many there are, and keeps younger ones', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, clock } = domains
    const domain = await domains.add('acme.com')
    await database.write(async (tx) => {
      for (let n = 0; n < 1_001; n++) {
        const old = { account_id: domain.account_id, hostname: `n${n % 7}.com` }
        await recordTimeline(tx, { domain: old, kind: 'added', at: clock.at, by: system })
      }
    })
    clock.at += 91 * day
    await database.write((tx) => recordTimeline(tx, { domain, kind: 'restarted', at: clock.at, by: system }))
    const kinds = async () => {
      const rows = await database.read.selectFrom('domain_timeline').select('kind').distinct().execute()
      return rows.map(({ kind }) => kind)
    }
    const parts = await partsFor(context, (details) => assert.fail(String(details)))
    await using _ = stopping(startWorker(context, parts))
    await until(async () => !(await kinds()).includes('added'))
    assert.ok((await kinds()).includes('restarted'))
  })

  test('it deletes events after 400 days, and invitations after they expired', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, account, clock } = publishing
    await database.write((tx) =>
      inviteIn(tx, {
        ...{ accountId: account.id, email: 'a@b.example', role: 'owner', at: clock.at },
        ...{ by: system, inviterId: null },
      }),
    )
    // Ids never go back in time, so they may be of the time where an earlier test ended.
    clock.at = (createdAt(newId('event', clock.at)) ?? clock.at) + 401 * day
    const parts = await partsFor(withSilentDns(context), (details) => assert.fail(String(details)))
    await using _ = stopping(startWorker(withSilentDns(context), parts))
    for (const table of ['events', 'invitations'] as const) {
      await until(async () => (await database.read.selectFrom(table).select('id').execute()).length === 0)
    }
  })
})

function stopping(worker: Worker): AsyncDisposable {
  return { [Symbol.asyncDispose]: () => worker.stop() }
}
