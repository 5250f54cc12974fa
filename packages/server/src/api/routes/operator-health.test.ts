import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import type { Health, HealthCheck } from '@masthead/contract/schemas/operator.ts'
import { certificateRow } from '../../certificates/certificate-row.test-kit.ts'
import { requestCertificate } from '../../certificates/jobs/request-certificate.ts'
import { putCertificate } from '../../certificates/store.ts'
import { addDomain } from '../../domains/claims/add-domain.ts'
import { day, minute, second } from '../../kernel/clock.ts'
import { readProject } from '../../projects/read.ts'
import { type ApiUnderTest, by, onEachApi } from '../api.test-kit.ts'
import { publish } from './publish.test-kit.ts'

async function health(api: ApiUnderTest): Promise<Health> {
  const { status, text, body } = await api.send<Health>('GET /v1/operator/health', api.operator)
  assert.equal(status, 200, text)
  return body
}

async function checkOf(api: ApiUnderTest, name: HealthCheck['name']): Promise<HealthCheck> {
  const { checks } = await health(api)
  return checks.find((check) => check.name === name) ?? assert.fail(`no check of ${name}`)
}

const notWell = ({ checks }: Health) => checks.filter(({ ok }) => !ok).map(({ name }) => name)

onEachApi('health', (test) => {
  test('shows the version, the start time and failing checks', async (api) => {
    const startedAt = new Date(api.clock.at).toISOString()
    api.clock.at += day
    const told = await health(api)
    assert.deepEqual([told.version, told.startedAt], ['1.2.3', startedAt])
    assert.equal(told.dialect, api.context.database.dialect)
    const names = ['database', 'limiter', 'blobs', 'domains', 'certificates', 'dns']
    assert.deepEqual(
      told.checks.map(({ name }) => name),
      names,
    )
    // Nothing listens where these tests query DNS.
    assert.deepEqual(notWell(told), ['dns'])
    assert.match((await checkOf(api, 'blobs')).message, /^Files can be written. \d+ [GT]B of disk space/)
  })

  test('counts what there is', async (api) => {
    const { id } = await api.newAccount('Acme', 'pro')
    await api.newAccount('Other')
    const { caller } = await api.newKey(id, ['deploy'])
    await publish(api, caller, 'shop')
    const project = await readProject(api.context, id, 'shop')
    await addDomain(api.context, { project, hostname: 'www.acme.test', move: false, by })
    const not_before = api.clock.at
    await api.context.database.write(async (tx) => {
      for (const days of [2, 4, 90]) {
        await putCertificate(tx, certificateRow(`${days}.test`, { not_after: not_before + days * day }))
      }
    })
    assert.deepEqual((await health(api)).counts, {
      accounts: 2,
      projects: 1,
      deployments: 1,
      domains: { pending: 1, prepared: 0, verified: 0, live: 0, drifted: 0, failed: 0, suspended: 0 },
      certificates: 3,
      certificatesExpiringSoon: 1,
    })
  })

  test('shows how late domain checks and certificates are, from a minute on', async (api) => {
    const { id } = await api.newAccount('Acme', 'pro')
    const { caller } = await api.newKey(id, ['deploy'])
    await publish(api, caller, 'shop')
    const project = await readProject(api.context, id, 'shop')
    await addDomain(api.context, { project, hostname: 'www.acme.test', move: false, by })
    const at = api.clock.at
    await api.context.database.write((tx) =>
      requestCertificate(api.context, tx, { name: 'www.acme.test', reason: 'first', at }),
    )
    api.clock.at = at + minute - second
    assert.deepEqual(notWell(await health(api)), ['dns'])
    api.clock.at = at + 3 * minute
    assert.deepEqual(await checkOf(api, 'domains'), {
      name: 'domains',
      ok: false,
      message: 'The oldest domain check is 3 minutes late. Is a worker running?',
    })
    assert.deepEqual(await checkOf(api, 'certificates'), {
      name: 'certificates',
      ok: false,
      message: 'The oldest certificate attempt is 3 minutes late. Is a worker running?',
    })
  })

  test('reports that files cannot be written', async (api) => {
    await rm(api.context.spoolFolder, { recursive: true })
    assert.deepEqual(await checkOf(api, 'blobs'), {
      name: 'blobs',
      ok: false,
      message: 'Files cannot be written. Sites are still served, but nothing can be published.',
    })
  })

  test('reports that the database is down, and everything else as usual', async (api) => {
    await api.context.database.close()
    const told = await health(api)
    assert.deepEqual(notWell(told), ['database', 'domains', 'certificates', 'dns'])
    assert.equal(told.counts, null)
    assert.doesNotMatch(JSON.stringify(told), /driver|ECONN|postgres:\/\//)
  })
})
