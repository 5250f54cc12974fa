import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slugError } from '@masthead/contract/slugs.ts'
import fc from 'fast-check'
import { bareId, newId } from '../kernel/ids.ts'
import { branchLabels, isDeploymentLabel, labelFits } from './branch-label.ts'

test('a branch keeps its name as far as a host can spell it', () => {
  for (const [branch, label] of [
    ['main', 'main'],
    ['feature/login', 'feature-login'],
    ['Feature/Login_Page', 'feature-login-page'],
    ['release/2.1', 'release-2-1'],
    ['a--b', 'a-b'],
    ['--a//b--', 'a-b'],
    ['grün', 'gr-n'],
    ['x', 'x'],
  ] as const) {
    assert.equal(branchLabels(branch, 'site')[0], label, branch)
  }
})

test('names that are too long, empty, or look like something else get a hash', () => {
  const id = bareId(newId('deployment', Date.UTC(2030, 0, 1)))
  for (const [branch, pattern] of [
    ['v2', /^v2-[0-9a-f]{8}$/],
    ['xn', /^xn-[0-9a-f]{8}$/],
    ['日本', /^branch-[0-9a-f]{8}$/],
    [id, new RegExp(`^${id}-[0-9a-f]{8}$`)],
    [id.toUpperCase(), new RegExp(`^${id}-[0-9a-f]{8}$`)],
    ['a'.repeat(58), /^a{48}-[0-9a-f]{8}$/],
    [`${'a'.repeat(47)}/${'b'.repeat(20)}`, /^a{47}-[0-9a-f]{8}$/],
  ] as const) {
    assert.match(branchLabels(branch, 'site')[0] ?? '', pattern, branch)
  }
  assert.equal(branchLabels('a'.repeat(57), 'site')[0], 'a'.repeat(57))
})

const branchName = fc.oneof(
  fc.string({ minLength: 1, maxLength: 255 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }),
  fc.stringMatching(/^[a-c/_-]{1,6}$/),
  fc.stringMatching(/^[0-9a-hjkmnp-tv-zA-Z]{20}$/),
  fc.stringMatching(/^[a-z0-9./-]{30,90}$/),
)
const slug = fc.stringMatching(/^[a-z0-9-]{1,40}$/).filter((text) => slugError(text) === null)

test('any branch has labels that read back, fit, and are never the id of a deployment', () => {
  fc.assert(
    fc.property(branchName, slug, (branch, slug) => {
      const labels = branchLabels(branch, slug)
      assert.ok(labels.length >= 2)
      for (const label of labels) {
        const host = `${label}--${slug}`
        assert.match(host, /^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/)
        assert.doesNotMatch(host, /^..--/, 'reserved for encoded Unicode')
        assert.equal(host.slice(0, host.indexOf('--')), label)
        assert.equal(host.slice(host.indexOf('--') + 2), slug)
        assert.ok(labelFits(label, slug))
        assert.equal(isDeploymentLabel(label), false)
      }
    }),
    { numRuns: 1000 },
  )
})

test('different branches differ in every label but the first', () => {
  fc.assert(
    fc.property(branchName, branchName, slug, (one, other, slug) => {
      fc.pre(one !== other)
      const hashed = (branch: string) => branchLabels(branch, slug).slice(-2)
      assert.equal(new Set([...hashed(one), ...hashed(other)]).size, 4)
    }),
  )
})
