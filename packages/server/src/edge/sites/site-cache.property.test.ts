import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { SiteTarget } from '../../projects/site.ts'
import { Site } from '../assets/site.ts'
import { SiteCache } from './site-cache.ts'
import type { SiteChange } from './site-change.ts'

const slugs = ['a', 'b', 'none']
const targets: SiteTarget[] = slugs.flatMap((slug): SiteTarget[] => [
  { kind: 'project', slug },
  { kind: 'preview', slug, deployment: '1' },
  { kind: 'preview', slug, deployment: '2' },
])

function siteOf(target: SiteTarget): Site | null {
  const { slug } = target
  if (slug === 'none') return null
  const deploymentId = target.kind === 'preview' ? `dpl_${target.deployment}` : slug === 'a' ? 'dpl_1' : null
  const ids = { projectId: `prj_${slug}`, accountId: 'acc_1', slug, deploymentId }
  const record = { ...ids, htmlHandling: 'auto', singlePage: false, redirect: null } as const
  return new Site(record, new Map([['/x', { sha256: '0', size: 1 }]]), target.kind === 'preview')
}

/** The plain rule that the index implements. */
function concerns({ slug, projectId, deploymentId, hostname }: SiteChange, target: SiteTarget): boolean {
  const site = siteOf(target)
  const named = [slug, projectId, deploymentId].filter((name) => name !== undefined)
  if (named.length === 0) return hostname === undefined
  if (slug === target.slug) return true
  if (target.kind === 'preview' && deploymentId === `dpl_${target.deployment}`) return true
  if (site === null) return slug === undefined
  const { record } = site
  return projectId === record.projectId || (deploymentId ?? '') === record.deploymentId
}

const change: fc.Arbitrary<SiteChange> = fc.record(
  {
    slug: fc.constantFrom(...slugs, 'other'),
    projectId: fc.constantFrom('prj_a', 'prj_b', 'prj_other'),
    deploymentId: fc.constantFrom('dpl_1', 'dpl_2', 'dpl_3'),
    hostname: fc.constant('www.acme.com'),
  },
  { requiredKeys: [] },
)
const step = fc.oneof(change, fc.constantFrom(...targets))

test('any change outdates exactly the sites it concerns; a full cache only forgets more', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.constantFrom(1000, 3), async (steps, most) => {
      const maxBytes = most * (siteOf({ kind: 'project', slug: 'a' })?.weight ?? 0)
      const cache = new SiteCache({ load: async (target) => siteOf(target), maxBytes })
      const fresh = new Set<SiteTarget>()
      for (const one of steps) {
        if ('kind' in one) {
          await cache.load(one)
          fresh.add(one)
        } else {
          cache.changed(one)
          for (const target of [...fresh]) if (concerns(one, target)) fresh.delete(target)
        }
        const known = targets.filter((target) => cache.get(target) !== undefined)
        const expected = targets.filter((target) => fresh.has(target))
        if (most === 1000) assert.deepEqual(known, expected)
        else
          assert.deepEqual(
            known.filter((target) => !fresh.has(target)),
            [],
          )
      }
    }),
  )
})
