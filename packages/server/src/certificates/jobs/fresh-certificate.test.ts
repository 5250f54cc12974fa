import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { createInternalIssuer, ensureInternalRoot } from '../internal-ca/internal-issuer.ts'
import { startNode } from '../issuing.test-kit.ts'
import { findCertificateRow, makeDue } from '../store.ts'
import { runJob } from './issuance-job.ts'
import { claimDueJobs } from './job-lease-store.ts'
import { findJob } from './job-store.ts'

const name = 'www.acme.test'

onEachDatabase('a job whose certificate is fresh', ({ open }) => {
  test('runs again if another one was requested since it looked', async () => {
    await using database = await open()
    await using node = await startNode(database, {
      issuer: async (context) => createInternalIssuer(context, await ensureInternalRoot(context)),
    })
    node.work()
    await node.get(name)
    await node.stopWorking()
    const { serial, issuer } = (await findCertificateRow(database.read, name)) ?? assert.fail()
    await node.request(name)
    const [job = assert.fail()] = await claimDueJobs(database, {
      owner: 'a worker',
      now: node.context.now(),
      most: 1,
    })
    let isAsked = false
    const write: Database['write'] = async (work) => {
      if (!isAsked) {
        isAsked = true
        await database.write((tx) => makeDue(tx, { name, issuer }, node.context.now()))
        await node.request(name)
      }
      return database.write(work)
    }
    const installed: string[] = []
    const hooks = {
      isAllowed: async () => true,
      isGone: async () => false,
      onInstalled: async (one: string) => void installed.push(one),
      log: { error: (details: object) => assert.fail(String(Reflect.get(details, 'err'))) },
    }
    await runJob(
      { ...node.context, database: { ...database, write } },
      job,
      hooks,
      new AbortController().signal,
    )
    assert.deepEqual([isAsked, installed], [true, []])
    assert.notEqual(await findJob(database.read, name), undefined)
    node.work()
    await node.until(async () => (await findCertificateRow(database.read, name))?.serial !== serial)
    assert.equal(await findJob(database.read, name), undefined)
  })
})
