import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retainedBranches, retainedDeployments } from '@masthead/contract/deployments.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { surplusDeployments } from './retention.ts'

const day = 24 * 60 * 60 * 1000
const today = 100 * day

type Given = [branch: string | null, age?: number, wasLive?: boolean]

/** Newest first; answers which indexes are removed. */
function removedOf(given: Given[], active: number | null = null, followed: string[] = []): number[] {
  const rows = given.map(([branch, age = 0, wasLive = true], index) => ({
    id: `dpl_${index}` as Id<'deployment'>,
    branch,
    created_at: today - age * day,
    activated_at: wasLive ? today - age * day : null,
  }))
  const active_deployment_id = active === null ? null : (rows[active]?.id ?? null)
  const project = { production_branch: 'main', active_deployment_id, followed: new Set(followed) }
  return surplusDeployments(rows, project, today).map((id) => Number(id.slice(4)))
}

const times = (count: number, one: Given): Given[] => Array.from({ length: count }, () => one)

test('without branches, the latest and the live one are kept', () => {
  assert.deepEqual(removedOf(times(retainedDeployments + 3, [null, 90]), 11), [10, 12])
})

test('a busy branch does not push out the deployments one would roll back to', () => {
  const production: Given[] = [...times(5, ['main', 40]), ...times(7, [null, 50])]
  assert.deepEqual(removedOf([...times(15, ['busy']), ...production]), [10, 11, 12, 13, 14, 25, 26])
})

test('nor do previews that name no branch', () => {
  const previews = times(15, [null, 0, false])
  const production: Given[] = [...times(5, ['main', 40]), ...times(5, [null, 50])]
  assert.deepEqual(removedOf([...previews, ...production]), [10, 11, 12, 13, 14])
})

test('the newest deployment of a branch is kept for 30 days, beyond the latest ten', () => {
  const busy = times(10, [null])
  const rest: Given[] = [
    ['a', 29],
    ['a', 29],
    ['b', 31],
    ['A', 29],
    ['c', 29],
  ]
  assert.deepEqual(removedOf([...busy, ...rest]), [11, 12])
  assert.deepEqual(removedOf([...busy, ...rest], null, ['a', 'b']), [11])
})

test('the number of branches kept is bounded', () => {
  const branches = Array.from({ length: retainedBranches + 20 }, (_, n): Given => [`branch-${n}`])
  assert.equal(removedOf(branches).length, 20)
})
