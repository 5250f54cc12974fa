import assert from 'node:assert/strict'
import { test } from 'node:test'
import { certificateRow } from '../../certificates/certificate-row.test-kit.ts'
import { findJob } from '../../certificates/jobs/job-store.ts'
import { requestCertificate } from '../../certificates/jobs/request-certificate.ts'
import { findCertificateRows, putCertificate } from '../../certificates/store.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { bareId } from '../../kernel/ids.ts'
import { by, startDomains } from '../domains.test-kit.ts'
import { removeProject } from './remove-project.ts'

onEachDatabase('the platform names of a removed project', ({ open }) => {
  test('their certificates are dropped with it, pending ones too, and others stay', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, project, account } = domains
    await domains.addPublished('other', account.id)
    const [own, other] = ['acme.masthead.localhost', 'other.masthead.localhost']
    const { id } = await database.read
      .selectFrom('deployments')
      .select('id')
      .where('project_id', '=', project.id)
      .executeTakeFirstOrThrow()
    const preview = `${bareId(id)}--${own}`
    await database.write(async (tx) => {
      for (const name of [own, other]) await putCertificate(tx, certificateRow(name))
      await requestCertificate(context, tx, { name: preview, reason: 'first', at: context.now() })
    })
    const heard = await domains.heardDuring(() => removeProject(context, { project, by }))
    assert.deepEqual(heard, [`certificate ${preview}`, `certificate ${own}`, 'project acme'].sort())
    const left = await findCertificateRows(database.read, [own, other])
    assert.deepEqual(
      left.map(({ name }) => name),
      [other],
    )
    assert.equal(await findJob(database.read, preview), undefined)
  })
})
