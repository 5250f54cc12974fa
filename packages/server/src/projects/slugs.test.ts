import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { day } from '../kernel/clock.ts'
import { changeProject, deleteProjectIn } from './change-project.ts'
import { by, startProjects } from './projects.test-kit.ts'
import { readFormerUses } from './read.ts'
import { forgetReleasedSlugs, releaseSlug, slugHoldPeriod } from './slugs.ts'

const kept = { code: 'slug_taken', message: /reserved for its previous account until/ }

onEachDatabase('a slug that was released', ({ open }) => {
  for (const way of ['renamed', 'deleted'] as const) {
    test(`is reserved for its account for 30 days after its project was ${way}`, async () => {
      await using database = await open()
      using projects = await startProjects(database)
      const { context, clock } = projects
      const stranger = await projects.addAccount()
      const release = async () => {
        const project = await projects.create('shop')
        if (way === 'deleted') await database.write((tx) => deleteProjectIn(context, tx, project))
        else await changeProject(context, { project, by, change: { slug: `shop-${clock.at}` } })
      }
      await release()
      await assert.rejects(projects.create('shop', stranger.id), kept)
      const other = await projects.create('other', stranger.id)
      await assert.rejects(changeProject(context, { project: other, by, change: { slug: 'shop' } }), kept)
      // Its account can reuse it at any time, and the 30 days start with the last release.
      clock.at += 20 * day
      await release()
      clock.at += slugHoldPeriod - 1
      await assert.rejects(projects.create('shop', stranger.id), kept)
      clock.at += 1
      const taken = await projects.create('shop', stranger.id)
      const uses = await readFormerUses(context, [taken, other])
      assert.deepEqual([...uses], [['shop', clock.at - slugHoldPeriod]])
      clock.at += 365 * day
      await forgetReleasedSlugs(context)
      assert.deepEqual([...(await readFormerUses(context, [taken]))], [])
    })
  }

  test('is only reserved among the latest thousand of an account', async () => {
    await using database = await open()
    using projects = await startProjects(database)
    const { account, clock } = projects
    const stranger = await projects.addAccount()
    await database.write(async (tx) => {
      for (let n = 0; n < 1_002; n++) {
        await releaseSlug(tx, { slug: `s${n}`, accountId: account.id, at: clock.at + n })
      }
    })
    clock.at += 1_002
    await projects.create('s1', stranger.id)
    await assert.rejects(projects.create('s2', stranger.id), kept)
  })

  test('cannot be taken by another account at the moment of its release', async () => {
    await using database = await open()
    using projects = await startProjects(database)
    const { context } = projects
    const stranger = await projects.addAccount()
    for (let round = 0; round < 10; round++) {
      const project = await projects.create(`r${round}`)
      const release = database.write((tx) => deleteProjectIn(context, tx, project))
      const tries = [1, 2, 3].map(() => projects.create(`r${round}`, stranger.id))
      for (const { status } of await Promise.allSettled(tries)) assert.equal(status, 'rejected')
      await release
    }
  })
})
