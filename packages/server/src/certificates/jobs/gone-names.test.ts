import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { hour, minute } from '../../kernel/clock.ts'
import { createInternalIssuer, ensureInternalRoot } from '../internal-ca/internal-issuer.ts'
import { type NodeOptions, startNode } from '../issuing.test-kit.ts'
import { renewDue } from '../renew.ts'
import { findCertificateRow } from '../store.ts'
import { findJob } from './job-store.ts'

const name = 'acme.pages.test'
const silent = { warn: () => {} }
const issuer: NodeOptions['issuer'] = async (context) =>
  createInternalIssuer(context, await ensureInternalRoot(context))

onEachDatabase('names that no longer belong to anyone', ({ open }) => {
  test('when one is due for renewal, its certificate is removed and the edges are notified', async () => {
    await using database = await open()
    const project = { exists: true }
    const options = { issuer, isAllowed: () => project.exists, isGone: () => !project.exists }
    await using node = await startNode(database, options)
    node.work()
    await node.get(name)
    project.exists = false
    node.clock.ahead = 100 * hour
    await renewDue(node.context, silent)
    await node.until(async () => (await findCertificateRow(database.read, name)) === undefined)
    assert.equal(await findJob(database.read, name), undefined)
    await node.until(() => node.heard.at(-1) === `certificate ${name}`)
    assert.equal(await renewDue(node.context, silent), false)
    assert.equal(await findJob(database.read, name), undefined)
  })

  test('one that is temporarily not served keeps its certificate and is checked again', async () => {
    await using database = await open()
    const project = { isServed: true }
    await using node = await startNode(database, { issuer, isAllowed: () => project.isServed })
    node.work()
    await node.get(name)
    project.isServed = false
    node.clock.ahead = 100 * hour
    await renewDue(node.context, silent)
    const checkAt = async () => (await findCertificateRow(database.read, name))?.check_at ?? null
    await node.until(async () => (await checkAt()) !== null)
    assert.ok(Number(await checkAt()) > node.context.now() + 59 * minute)
  })

  test('one that is claimed again in the same moment gets its certificate', async () => {
    await using database = await open()
    const project = { exists: false }
    await using node = await startNode(database, {
      issuer,
      isAllowed: () => project.exists,
      async isGone() {
        node.clock.ahead += 1000
        project.exists = true
        await node.request(name)
        return true
      },
    })
    await node.request(name)
    node.work()
    await node.until(() => node.installed.includes(name))
  })
})
