import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { Problem } from '../../kernel/problem.ts'
import { changeProject } from '../../projects/change-project.ts'
import { by, type Domains, startDomains } from '../domains.test-kit.ts'
import { putConfig } from './change-config.ts'
import { configTag, type NamedConfig } from './domain-config.ts'
import { readConfig } from './read-config.ts'

const own = 'acme.masthead.localhost'

function put({ context, project }: Domains, domains: NamedConfig, ifMatch?: string) {
  return putConfig(context, { project, input: { domains }, by, ifMatch })
}

onEachDatabase('configuring domains', ({ open }) => {
  test('an unconfigured project has its default subdomain and no redirects', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const config = await readConfig(domains.context, domains.project)
    assert.deepEqual(config, { domains: { primary: own, redirects: [] } })
  })

  test('names are normalized, and those that redirect are announced', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, project } = domains
    for (const name of ['acme.com', 'bücher.example', 'quiet.com']) await domains.add(name)
    const heard = await domains.heardDuring(async () => {
      const answer = await put(domains, {
        primary: 'https://ACME.com/',
        redirects: [
          { from: 'Bücher.example.', to: 'acme.com', status: 308 },
          { from: 'http://Acme.Masthead.localhost:8080/', to: 'acme.com', status: 302 },
        ],
      })
      const redirects = [
        { from: 'xn--bcher-kva.example', to: 'acme.com', status: 308 },
        { from: own, to: 'acme.com', status: 302 },
      ]
      assert.deepEqual(answer, { domains: { primary: 'acme.com', redirects } })
      assert.deepEqual(await readConfig(context, project), answer)
    })
    assert.deepEqual(heard, ['domain xn--bcher-kva.example', 'project acme'])
    const data = { primary: 'acme.com', redirects: 2 }
    assert.deepEqual(await domains.events(1), [{ type: 'domain.config_changed', data }])
    const without = await domains.heardDuring(() => put(domains, { primary: own, redirects: [] }))
    assert.deepEqual(without, ['domain xn--bcher-kva.example', 'project acme'])
  })

  test('one error rejects the whole configuration, and says where it is', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, project } = domains
    const { project: foreign } = await domains.addCustomer('foreign')
    await domains.add('acme.com')
    await domains.add('foreign.com', { to: foreign })
    const before = await put(domains, { primary: 'acme.com', redirects: [] })
    const redirects = [
      { from: own, to: 'acme.com', status: 301 as const },
      { from: 'no name\0', to: 'foreign.com', status: 301 as const },
    ]
    await assert.rejects(put(domains, { primary: own, redirects }), (error: unknown) => {
      assert.ok(error instanceof Problem)
      const errors = error.extra.errors as { path: string }[]
      const paths = ['domains.redirects.0.from', 'domains.redirects.1.from', 'domains.redirects.1.to']
      assert.deepEqual([error.code, errors.map(({ path }) => path)], ['domain_config_invalid', paths])
      return true
    })
    assert.deepEqual(await readConfig(context, project), before)
  })

  test('of two concurrent changes based on the same configuration, the second is rejected', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, project } = domains
    for (const name of ['a.com', 'b.com']) await domains.add(name)
    const tag = configTag((await readConfig(context, project)).domains)
    const wanted = ['a.com', 'b.com'].map((primary) => ({ primary, redirects: [] }))
    const [first, second] = await Promise.allSettled(wanted.map((each) => put(domains, each, tag)))
    const refused = [first, second].find((each) => each?.status === 'rejected')
    const done = [first, second].find((each) => each?.status === 'fulfilled')
    assert.ok(refused?.reason instanceof Problem && done !== undefined)
    assert.equal(refused.reason.code, 'domain_config_changed')
    assert.deepEqual(await readConfig(context, project), done.value)
    assert.equal(refused.reason.headers.ETag, configTag(done.value.domains))
  })

  test('a change is accepted with a matching tag, with any tag, and when it changes nothing', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    for (const name of ['a.com', 'b.com']) await domains.add(name)
    const to = (primary: string) => ({ primary, redirects: [] })
    const stale = configTag(to(own))
    await put(domains, to('a.com'), `"other", W/${stale}`)
    await put(domains, to('A.com'), stale)
    await assert.rejects(put(domains, to('b.com'), stale), { code: 'domain_config_changed' })
    await assert.rejects(put(domains, to('gone.com'), stale), { code: 'domain_config_changed' })
    assert.deepEqual(await put(domains, to('b.com'), '*'), { domains: to('b.com') })
  })

  test('the configuration follows the default subdomain when the slug changes', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, project } = domains
    await domains.add('acme.com')
    await put(domains, { primary: own, redirects: [{ from: 'acme.com', to: own, status: 301 }] })
    const renamed = await changeProject(context, { project, change: { slug: 'renamed' }, by })
    const name = 'renamed.masthead.localhost'
    const redirects = [{ from: 'acme.com', to: name, status: 301 }]
    assert.deepEqual(await readConfig(context, renamed), { domains: { primary: name, redirects } })
  })
})
