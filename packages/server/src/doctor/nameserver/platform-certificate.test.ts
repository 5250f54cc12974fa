import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startKnot } from '@masthead/testing/peers/knot.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { certificateRow, waitingJob } from '../../certificates/certificate-row.test-kit.ts'
import type { FailureKind } from '../../certificates/jobs/failure.ts'
import type { CaConfig } from '../../config/config.ts'
import { openSqlite } from '../../database/each-database.test-kit.ts'
import { createDns } from '../../dns/dns.ts'
import { day } from '../../kernel/clock.ts'
import { checkPlatformCertificate } from './platform-certificate.ts'

const at = Date.UTC(2030, 0, 1)
const ca = (name: string) => [{ name } as CaConfig] as [CaConfig]
const record = '_acme-challenge.pages.test CNAME platform.acme.pages.test'

test('the operator learns whether projects share a certificate, and why not', {
  skip: skipWithout('knot'),
}, async () => {
  await using database = await openSqlite()
  await using knot = await startKnot({ zones: { 'pages.test': '' } })
  const dns = createDns({ servers: [knot], authoritativePort: knot.port, allowPrivate: true })
  let now = at
  const examine = async (some: object = {}) => {
    const config = {
      cas: ca('letsencrypt'),
      dnsListen: { address: '127.0.0.1', port: 53 },
      platformCertificate: null,
      platformDomain: 'pages.test',
      ...some,
    }
    const context = { database, now: () => now }
    const { signal } = new AbortController()
    const { status, message, fix } = await checkPlatformCertificate(config, context, dns, signal)
    return `${status}: ${message}${fix === null ? '' : ` ${fix}`}`
  }
  assert.match(await examine({ cas: ca('internal') }), /^ok: .*internal CA/)
  assert.match(await examine({ platformCertificate: {} }), /^ok: .*MASTHEAD_PLATFORM_CERTIFICATE/)
  assert.match(await examine({ dnsListen: null }), /^skipped: .*needs MASTHEAD_DNS_LISTEN/)
  assert.equal(
    await examine(),
    'warning: Each project has a certificate of its own, because _acme-challenge.pages.test does not lead to ' +
      `this server. Add to DNS: ${record}.`,
  )
  await knot.setZone('pages.test', '_acme-challenge CNAME platform.acme')
  assert.match(await examine(), /^ok: A certificate for \*\.pages\.test is being obtained/)

  const row = certificateRow('*.pages.test', { not_before: at })
  await database.write((tx) => tx.insertInto('certificates').values(row).execute())
  const shared = 'ok: Projects share a certificate for *.pages.test, valid until 2030-04-01.'
  assert.equal(await examine(), shared)
  assert.equal(await examine({ dnsListen: null }), shared)
  now = at + 71 * day
  assert.match(await examine(), /^problem: .*could not be renewed, so each project gets its own again/)
  const add = { type: 'CNAME', fqdn: '_acme-challenge.pages.test', value: 'platform.acme.pages.test' }
  const fail = async (error: { kind: FailureKind; message: string }) => {
    const last_error = JSON.stringify({ hint: 'Tell your operator.', add, ...error })
    const job = { ...waitingJob(row.name), problem_kind: error.kind, last_error }
    await database.write(async (tx) => {
      await tx.deleteFrom('certificate_jobs').execute()
      await tx.insertInto('certificate_jobs').values(job).execute()
    })
    return examine()
  }
  const fix = `Set in DNS: ${record}. We retry automatically.`
  const notHere = 'It does not lead here.'
  assert.ok(
    (await fail({ kind: 'delegation', message: notHere })).endsWith(`its own again. ${notHere} ${fix}`),
  )
  for (const kind of ['connection', 'dns', 'unauthorized', 'malformed', 'rejected_name', 'other'] as const) {
    const said = await fail({ kind, message: 'It said: "No."' })
    assert.match(
      said,
      /its own again\. It said: "No\." .*(record of _acme-challenge\.pages\.test|MASTHEAD_CA)/,
    )
    assert.doesNotMatch(said, /your operator/)
  }
})
