import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SiteTarget } from '../../projects/site.ts'
import { Site } from '../assets/site.ts'
import { SiteCache } from './site-cache.ts'

const hello: SiteTarget = { kind: 'project', slug: 'hello' }
const preview: SiteTarget = { kind: 'preview', slug: 'hello', deployment: 'one' }

function siteOf(deploymentId: string, { projectId = 'prj_1', files = 1 } = {}): Site {
  const manifest = new Map(Array.from({ length: files }, (_, n) => [`/${n}`, { sha256: '0', size: 1 }]))
  const record = {
    projectId,
    accountId: 'acc_1',
    slug: 'hello',
    deploymentId,
    htmlHandling: 'auto',
    singlePage: false,
    redirect: null,
  } as const
  return new Site(record, manifest, false)
}

/** A cache whose loads the test resolves. */
function heldLoads(options: { retryAfterMs?: number; now?: () => number } = {}) {
  const loads: PromiseWithResolvers<Site | null>[] = []
  const load = () => {
    const held = Promise.withResolvers<Site | null>()
    loads.push(held)
    return held.promise
  }
  const end = (at: number, site: Site | null) => loads[at]?.resolve(site)
  const fail = (at: number) => loads[at]?.reject(new Error('the database is away'))
  return { cache: new SiteCache({ load, ...options }), count: () => loads.length, end, fail }
}

test('concurrent calls share one load, and later ones need none', async () => {
  const { cache, count, end } = heldLoads()
  assert.equal(cache.get(hello), undefined)
  const asked = [cache.load(hello), cache.load(hello)]
  const site = siteOf('dpl_1')
  end(0, site)
  assert.deepEqual(await Promise.all(asked), [site, site])
  assert.equal(cache.get(hello), site)
  assert.equal(count(), 1)
})

test('a project and its previews are cached separately', async () => {
  const { cache, end } = heldLoads()
  const [live, one] = [siteOf('dpl_2'), siteOf('dpl_one')]
  const asked = [cache.load(hello), cache.load(preview)]
  end(0, live)
  end(1, one)
  await Promise.all(asked)
  assert.equal(cache.get(hello), live)
  assert.equal(cache.get(preview), one)
})

test('a host without a site is cached until a change may have given it one', async () => {
  for (const change of [{ slug: 'hello' }, { projectId: 'prj_9' }, {}]) {
    const { cache, end } = heldLoads()
    const asked = cache.load(hello)
    end(0, null)
    assert.equal(await asked, null)
    assert.equal(cache.get(hello), null)
    cache.changed({ projectId: 'prj_9', slug: 'other' })
    assert.equal(cache.get(hello), null)
    cache.changed(change)
    assert.equal(cache.get(hello), undefined)
  }
})

test('a change invalidates exactly the sites it names', async () => {
  const dropping = [{ projectId: 'prj_1' }, { slug: 'hello' }, { deploymentId: 'dpl_1' }, {}]
  const keeping = [{ projectId: 'prj_2' }, { slug: 'other' }, { deploymentId: 'dpl_2' }]
  for (const [change, dropped] of [
    ...dropping.map((c) => [c, true]),
    ...keeping.map((c) => [c, false]),
  ] as const) {
    const { cache, end } = heldLoads()
    const asked = cache.load(hello)
    end(0, siteOf('dpl_1'))
    await asked
    cache.changed(change as object)
    assert.equal(cache.get(hello) === undefined, dropped, JSON.stringify(change))
  }
})

test('a load that began before a change is not cached after it', async () => {
  for (const change of [{ projectId: 'prj_1' }, { slug: 'hello' }, { deploymentId: 'dpl_1' }, {}]) {
    const { cache, end } = heldLoads()
    const before = cache.load(hello)
    cache.changed(change)
    end(0, siteOf('dpl_1'))
    await before
    assert.equal(cache.get(hello), undefined, JSON.stringify(change))
  }
})

test('a call after a change does not share a load from before it, whichever ends last', async () => {
  const { cache, count, end } = heldLoads()
  const [old, young] = [siteOf('dpl_1'), siteOf('dpl_2')]
  const before = cache.load(hello)
  cache.changed({ projectId: 'prj_1' })
  const after = cache.load(hello)
  end(1, young)
  assert.equal(await after, young)
  end(0, old)
  assert.equal(await before, old)
  assert.equal(cache.get(hello), young)
  assert.equal(count(), 2)
})

test('an unrelated change does not keep a load from being cached', async () => {
  const { cache, end } = heldLoads()
  const asked = cache.load(hello)
  cache.changed({ projectId: 'prj_2', slug: 'other' })
  const site = siteOf('dpl_1')
  end(0, site)
  await asked
  assert.equal(cache.get(hello), site)
})

test('if a changed site cannot be loaded, the stale one is used and retried later', async () => {
  let now = 0
  const { cache, end, fail } = heldLoads({ retryAfterMs: 1000, now: () => now })
  const first = cache.load(hello)
  const old = siteOf('dpl_1')
  end(0, old)
  await first

  cache.changed({ projectId: 'prj_1' })
  const second = cache.load(hello)
  fail(1)
  assert.equal(await second, old)
  now = 999
  assert.equal(cache.get(hello), old)
  now = 1000
  assert.equal(cache.get(hello), undefined)

  const third = cache.load(hello)
  const young = siteOf('dpl_2')
  end(2, young)
  assert.equal(await third, young)
  assert.equal(cache.get(hello), young)
})

test('a first load that fails is retried immediately', async () => {
  const { cache, count, end, fail } = heldLoads()
  const first = cache.load(hello)
  fail(0)
  await assert.rejects(first, /the database is away/)
  assert.equal(cache.get(hello), undefined)
  const second = cache.load(hello)
  end(1, siteOf('dpl_1'))
  await second
  assert.equal(count(), 2)
})

test('a deleted site is gone immediately', async () => {
  const { cache, end } = heldLoads()
  const first = cache.load(hello)
  end(0, siteOf('dpl_1'))
  await first
  cache.changed({ slug: 'hello' })
  const second = cache.load(hello)
  end(1, null)
  assert.equal(await second, null)
  assert.equal(cache.get(hello), null)
})

test('memory is bounded by what sites take and by the number of unknown hosts', async () => {
  const named = (slug: string): SiteTarget => ({ kind: 'project', slug })
  const load = async (target: SiteTarget) =>
    target.slug.startsWith('no') ? null : siteOf('dpl_1', { files: 4 })
  const cache = new SiteCache({ load, maxBytes: 2 * siteOf('dpl_1', { files: 4 }).weight, maxUnknown: 2 })
  for (const slug of ['a', 'b', 'c', 'no1', 'no2', 'no3']) await cache.load(named(slug))
  const known = ['a', 'b', 'c', 'no1', 'no2', 'no3'].filter((slug) => cache.get(named(slug)) !== undefined)
  assert.deepEqual(known, ['b', 'c', 'no2', 'no3'])
})
