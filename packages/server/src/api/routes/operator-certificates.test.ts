import assert from 'node:assert/strict'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { OperatorCertificate } from '@masthead/contract/schemas/operator.ts'
import { certificateRow } from '../../certificates/certificate-row.test-kit.ts'
import { jobAfterFailure } from '../../certificates/jobs/backoff.ts'
import { findJob } from '../../certificates/jobs/job-store.ts'
import { requestCertificate } from '../../certificates/jobs/request-certificate.ts'
import { putCertificate } from '../../certificates/store.ts'
import { addDomain } from '../../domains/claims/add-domain.ts'
import { updateDomain } from '../../domains/store.ts'
import { day, isoTime, minute } from '../../kernel/clock.ts'
import { readProject } from '../../projects/read.ts'
import { type ApiUnderTest, by, onEachApi } from '../api.test-kit.ts'
import { cursorOf, everyPage } from './every-page.test-kit.ts'
import { publish } from './publish.test-kit.ts'

const list = (api: ApiUnderTest, query = '') =>
  api.send<Page<OperatorCertificate>>(`GET /v1/operator/certificates${query}`, api.operator)

async function hostnames(api: ApiUnderTest, query = ''): Promise<string[]> {
  const { status, text, body } = await list(api, query)
  assert.equal(status, 200, text)
  return body.items.map(({ hostname }) => hostname)
}

const hold = (api: ApiUnderTest, name: string, days: number) =>
  api.context.database.write((tx) =>
    putCertificate(tx, certificateRow(name, { not_after: api.clock.at + days * day })),
  )

const ask = (api: ApiUnderTest, name: string) =>
  api.context.database.write((tx) =>
    requestCertificate(api.context, tx, { name, reason: 'asked', at: api.clock.at }),
  )

/** As if an order had failed because the CA could not connect. */
async function fail(api: ApiUnderTest, name: string): Promise<void> {
  await ask(api, name)
  const detail = 'Connection refused'
  const document = { type: 'urn:ietf:params:acme:error:connection', detail }
  const failure = { kind: 'connection', message: 'It said no.', document, retryAt: null } as const
  const attempt = {
    failure,
    orderIsOver: true,
    authority: 'The CA',
    isRequestedAgain: false,
    isCovered: false,
  }
  await api.context.database.write(async (tx) => {
    const job = (await findJob(tx, name)) ?? assert.fail('no job')
    const change = jobAfterFailure(job, attempt, api.clock.at, 0)
    await tx.updateTable('certificate_jobs').set(change).where('name', '=', name).execute()
  })
}

onEachApi('the list of certificates', (test) => {
  test('shows failures first, then pending ones, then the soonest to expire', async (api) => {
    await hold(api, 'late.test', 80)
    await hold(api, 'soon.test', 5)
    await hold(api, 'renewing.test', 20)
    await ask(api, 'renewing.test')
    await ask(api, 'first.test')
    await hold(api, 'stuck.test', 30)
    await fail(api, 'stuck.test')
    await fail(api, 'never.test')
    const failing = ['never.test', 'stuck.test']
    const others = ['first.test', 'soon.test', 'renewing.test', 'late.test']
    assert.deepEqual(await hostnames(api), [...failing, ...others])
    assert.deepEqual(await hostnames(api, '?failing=false'), [...failing, ...others])
    assert.deepEqual(await hostnames(api, '?failing=true'), failing)
    assert.equal((await list(api, '?failing=perhaps')).status, 422)
  })

  test('shows the error as the domain does, and the next attempt', async (api) => {
    await hold(api, 'stuck.test', 30)
    await fail(api, 'stuck.test')
    await fail(api, 'never.test')
    await ask(api, 'first.test')
    const [never, stuck, first] = (await list(api)).body.items
    assert.deepEqual([never?.status, never?.notAfter, never?.renewsAt], ['pending', null, null])
    assert.deepEqual([first?.status, first?.lastError], ['pending', null])
    assert.equal(stuck?.status, 'valid')
    assert.equal(stuck?.notAfter, isoTime(api.clock.at + 30 * day))
    assert.equal(stuck?.renewsAt, isoTime(api.clock.at + 60 * day))
    assert.equal(stuck?.lastError?.kind, 'connection')
    assert.equal(stuck?.lastError?.said, 'Connection refused')
    const again = Date.parse(stuck?.nextAttemptAt ?? '') - api.clock.at
    assert.ok(again > 0 && again <= minute, String(again))
  })

  test('shows whose domain it is for, but not for unproved claims', async (api) => {
    const { id } = await api.newAccount('Acme', 'pro')
    const { caller } = await api.newKey(id, ['deploy'])
    await publish(api, caller, 'shop')
    const project = await readProject(api.context, id, 'shop')
    const domain = await addDomain(api.context, { project, hostname: 'www.acme.test', move: false, by })
    await hold(api, 'www.acme.test', 10)
    await hold(api, 'masthead.localhost', 20)
    const owners = async () =>
      (await list(api)).body.items.map(({ accountId, accountName, projectSlug }) => ({
        accountId,
        accountName,
        projectSlug,
      }))
    const nobody = { accountId: null, accountName: null, projectSlug: null }
    assert.deepEqual(await owners(), [nobody, nobody])
    await api.context.database.write((tx) => updateDomain(tx, domain.id, { held: 1, state: 'live' }))
    assert.deepEqual(await owners(), [{ accountId: id, accountName: 'Acme', projectSlug: 'shop' }, nobody])
  })

  test('has pages of any size without gaps or duplicates, across all its parts', async (api) => {
    for (let n = 0; n < 7; n++) {
      await fail(api, `failing-${n}.test`)
      await ask(api, `waiting-${n}.test`)
      await hold(api, `held-${n}.test`, 10 + (n % 2))
    }
    const all = await hostnames(api, '?limit=100')
    assert.equal(new Set(all).size, 21)
    for (const limit of [1, 3, 7, 8, 20, 21]) {
      const seen = await everyPage<OperatorCertificate>(api, '/v1/operator/certificates', limit)
      assert.deepEqual(
        seen.map(({ hostname }) => hostname),
        all,
        `pages of ${limit}`,
      )
    }
  })

  test('refuses a made-up cursor', async (api) => {
    for (const forged of [
      'after:',
      'after:3 1 a',
      'after:2 x a',
      `after:2 ${'9'.repeat(30)} a`,
      'after:2 1',
    ]) {
      assert.equal((await list(api, `?cursor=${cursorOf('listCertificates', forged)}`)).status, 422, forged)
    }
  })
})
