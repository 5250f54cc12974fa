import assert from 'node:assert/strict'
import { test } from 'node:test'
import { certificateRow } from '../../certificates/certificate-row.test-kit.ts'
import { findJob } from '../../certificates/jobs/job-store.ts'
import { requestCertificate } from '../../certificates/jobs/request-certificate.ts'
import { findCertificateRows, putCertificate } from '../../certificates/store.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { afterNextWrite } from '../../database/interleave.test-kit.ts'
import { bareId, newId } from '../../kernel/ids.ts'
import { readProject, readProjects } from '../../projects/read.ts'
import { by, type Domains, startDomains } from '../domains.test-kit.ts'
import { findRoute, findSite } from '../read.ts'
import { removeLeftovers } from './delete-account.ts'
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

/** So many that no single transaction removes them. */
const many = 40

/** Live domains of the project. Returns their names. */
async function addMany({ context, add, prove }: Domains): Promise<string[]> {
  const first = await prove(await add('www0.acme.com'))
  const names = Array.from({ length: many }, (_, n) => `www${n}.acme.com`)
  await context.database.write(async (tx) => {
    for (const hostname of names.slice(1)) {
      const id = newId('domain', context.now())
      await tx
        .insertInto('domains')
        .values({ ...first, id, hostname, target: id })
        .execute()
    }
  })
  return names
}

onEachDatabase('a removed project with many domains', ({ open }) => {
  test('lets others write meanwhile, and is gone with all its domains at the end', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, project, account } = domains
    const names = await addMany(domains)
    const removing = removeProject(context, { project, by }).then(() => true)
    const left: number[] = []
    for (;;) {
      // Waits behind the transaction that is under way, and not behind all of them.
      const domainsLeft = await database.write((tx) => tx.selectFrom('domains').select('id').execute())
      left.push(domainsLeft.length)
      if (domainsLeft.length === 0) break
    }
    assert.equal(await removing, true)
    assert.ok(left.some((count) => count > 0 && count < many))
    assert.ok(
      left.every((count) => count === many || (many - count) % 25 === 0 || count === 0),
      String(left),
    )
    for (const table of ['projects', 'deployments', 'domains'] as const) {
      const rows = database.read.selectFrom(table).select('id').where('account_id', '=', account.id)
      assert.deepEqual(await rows.execute(), [], table)
    }
    const tombstones = await database.read.selectFrom('domain_tombstones').select('hostname').execute()
    assert.deepEqual(tombstones.map(({ hostname }) => hostname).sort(), names.toSorted())
    const events = await domains.events(many + 10)
    assert.equal(events.filter(({ type }) => type === 'domain.removed').length, many)
    assert.equal(events.filter(({ type }) => type === 'project.deleted').length, 1)
  })

  test('is hidden and not served if the removal is interrupted, and the job completes it', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, project, account } = domains
    const last = (await addMany(domains)).toSorted().at(-1) ?? ''
    const platform = context.naming.platformDomain
    const route = () => findRoute(context, last, platform)
    assert.deepEqual(await route(), { kind: 'site', slug: 'acme' })
    const killed = new Error('killed')
    const heard = await domains.heardDuring(() => {
      afterNextWrite(database, () => Promise.reject(killed))
      return assert.rejects(removeProject(context, { project, by }), killed)
    })
    assert.ok(heard.includes('project_stopped acme'))
    assert.equal(await route(), null)
    for (const slug of ['acme', project.id])
      assert.equal(await findSite(context, { kind: 'project', slug }, platform), null)
    for (const order of ['created', 'changed'] as const)
      assert.deepEqual((await readProjects(context, account.id, { limit: 10, order })).items, [])
    for (const name of ['acme', project.id])
      await assert.rejects(readProject(context, account.id, name), { code: 'not_found' })
    await assert.rejects(removeProject(context, { project, by }), { code: 'not_found' })
    const again = await domains.addPublished('acme', account.id)
    await assert.rejects(domains.add(last, { to: again }), { code: 'unavailable' })

    await removeLeftovers(context)
    const { read } = database
    const projects = read.selectFrom('projects').select('id').where('account_id', '=', account.id)
    assert.deepEqual(
      (await projects.execute()).map(({ id }) => id),
      [again.id],
    )
    assert.deepEqual(await read.selectFrom('domains').select('id').execute(), [])
    await domains.add(last, { to: again })
  })
})
