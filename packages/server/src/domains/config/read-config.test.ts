import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DomainState } from '@masthead/contract/domains/states.ts'
import { createAddresses } from '../../config/addresses.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import type { ProjectRow } from '../../projects/project.ts'
import { by, type Domains, startDomains } from '../domains.test-kit.ts'
import { putConfig } from './change-config.ts'
import { readPrimaryUrls } from './read-config.ts'

async function makePrimary({ context }: Domains, project: ProjectRow, primary: string) {
  await putConfig(context, { project, input: { domains: { primary, redirects: [] } }, by })
}

onEachDatabase('the address of a primary domain', ({ open }) => {
  test('exists while the domain is served, with https once it has a certificate', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { project } = domains
    const addresses = createAddresses({
      platformDomain: 'masthead.localhost',
      dashboardHost: 'localhost',
      httpPort: 80,
      publicHttpsPort: 443,
      httpsRedirect: true,
    })
    const row = await domains.add('www.acme.com')
    await makePrimary(domains, project, 'www.acme.com')
    const read = async () => (await readPrimaryUrls({ database, addresses }, [project])).get(project.id)
    assert.equal(await read(), undefined)
    const expected: Record<DomainState, string | undefined> = {
      pending: undefined,
      prepared: undefined,
      verified: 'http://www.acme.com',
      live: 'https://www.acme.com',
      drifted: 'https://www.acme.com',
      failed: undefined,
      suspended: undefined,
    }
    for (const [state, url] of Object.entries(expected)) {
      await domains.prove(row, state as DomainState)
      assert.equal(await read(), url, state)
    }
    await domains.lose(await domains.prove(row))
    assert.equal(await read(), undefined)
  })

  test('is found for many projects at once, except those with the default subdomain', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { account, context } = domains
    const [docs, shop, plain] = await Promise.all(
      ['docs', 'shop', 'plain'].map((slug) => domains.addPublished(slug, account.id)),
    )
    assert.ok(docs && shop && plain)
    for (const [project, hostname] of [
      [docs, 'docs.acme.com'],
      [shop, 'shop.acme.com'],
      [plain, 'beside.acme.com'],
    ] as const) {
      await domains.prove(await domains.add(hostname, { to: project }))
      if (project !== plain) await makePrimary(domains, project, hostname)
    }
    const found = await readPrimaryUrls(context, [docs, shop, plain])
    assert.deepEqual(
      found,
      new Map([
        [docs.id, 'http://docs.acme.com:8080'],
        [shop.id, 'http://shop.acme.com:8080'],
      ]),
    )
    assert.deepEqual(await readPrimaryUrls(context, []), new Map())
  })

  test('ends when the domain moves to another project', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { account, project, context } = domains
    const other = await domains.addPublished('other', account.id)
    await domains.prove(await domains.add('acme.com'))
    await makePrimary(domains, project, 'acme.com')
    await domains.add('acme.com', { to: other, move: true })
    assert.deepEqual(await readPrimaryUrls(context, [project, other]), new Map())
  })
})
