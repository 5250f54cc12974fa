import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { certificateRow, waitingJob } from '../certificate-row.test-kit.ts'
import { putCertificate } from '../store.ts'
import { registerCertificateMetrics } from './metrics.ts'

onEachDatabase('metrics of failing certificates', ({ open }) => {
  test('leave out failures that only a newer version knows', async () => {
    await using database = await open()
    const now = Date.UTC(2030, 1, 1)
    await database.write(async (tx) => {
      for (const [index, kind] of ['of_a_newer_version', 'unreachable'].entries()) {
        const name = `${kind}.acme.test`
        await putCertificate(tx, certificateRow(name, { not_after: now + index + 1 }))
        const job = { ...waitingJob(name), problem_kind: kind }
        await tx.insertInto('certificate_jobs').values(job).execute()
      }
    })
    const metrics = new Registry()
    await registerCertificateMetrics(metrics, { database, now: () => now })()
    const text = await metrics.metrics()
    assert.match(text, /^masthead_certificates_failing\{cause="authority"\} 1$/m)
    assert.deepEqual(text.match(/^masthead_certificates_first_expiry\S+ /gm), [
      'masthead_certificates_first_expiry_timestamp_seconds{cause="authority"} ',
    ])
  })
})
