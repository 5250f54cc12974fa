import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { startKnot } from '@masthead/testing/peers/knot.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { startUnbound } from '@masthead/testing/peers/resolvers/unbound.ts'
import { killOnExit } from '@masthead/testing/supervised-process.ts'
import { type Database, openDatabase } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { startChallengeDns } from '../challenge-dns/challenge-dns.ts'
import { masterKey, type Node, startNode, startOwnPebbleCa } from '../issuing.test-kit.ts'
import { count, delegations, labelOf, type NodeSettings, names, platform } from './delegated-node.test-kit.ts'

const skip = skipWithout('pebble', 'knot', 'unbound')

const program = `
  const { runNode } = await import(${JSON.stringify(join(import.meta.dirname, 'delegated-node.test-kit.ts'))})
  await runNode(JSON.parse(process.argv[1]))`

/** A node in a process of its own. */
function spawnNode(settings: NodeSettings) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  killOnExit(child)
  const node = { child, installed: 0 }
  child.stdout.on('data', (text: Buffer) => {
    node.installed += text.toString().split('\n').length - 1
  })
  return node
}

/** Knot has the customers' zone, our nameserver the challenges, and unbound finds both for the CA. */
async function startCa(database: Database) {
  await using started = new AsyncDisposableStack()
  const records = names.map(
    (_, index) => `_acme-challenge.n${index} 60 CNAME ${labelOf(index)}.acme.${platform}.`,
  )
  const knot = started.use(await startKnot({ zones: { 'acme.test': records.join('\n') } }))
  const ours = await startChallengeDns({
    database,
    now: Date.now,
    listen: { address: '127.0.0.1', port: 0 },
    naming: { platformDomain: platform, edgeAddresses: ['127.0.0.1'] },
    log: { warn: () => {} },
  })
  started.defer(() => ours.close())
  const startDns = (port: number) =>
    startUnbound({ 'acme.test': knot, [`acme.${platform}`]: ours.address }, port)
  const ca = started.use(await startOwnPebbleCa({ startDns }))
  const running = started.move()
  return { ca, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

onEachDatabase('delegated challenges', ({ location, dialect }) => {
  if (dialect === 'sqlite') return

  test(`${count} names at once with a node killed in the middle: all issued, one order each, by DNS alone`, {
    skip,
  }, async (t) => {
    await using place = await location()
    const silent = { warn: () => {} }
    const [two, three] = [await openDatabase(place, silent), await openDatabase(place, silent)]
    {
      // Answers from a node that places no order.
      await using peers = await startCa(three)
      const { ca } = peers
      const { directoryUrl, rootsPem } = ca.pebble
      await using other: Node = await startNode(two, { issuer: ca.issuer({ delegations }), concurrency: 5 })
      await other.request(...names)
      const key = masterKey.toString('hex')
      const killed = spawnNode({ place: { ...place }, directoryUrl, rootsPem, key })
      await other.until(() => killed.installed > 0)
      other.work()
      await other.until(() => killed.installed >= 10 && other.installed.length >= 1)
      killed.child.kill('SIGKILL')
      await once(killed.child, 'exit')
      t.diagnostic(`${killed.installed} issued by the killed node, ${other.installed.length} by the other`)
      assert.ok(killed.installed + other.installed.length < count)
      await other.untilValid(...names)
      const log = await two.read.selectFrom('issuance_log').select('outcome').execute()
      const outcomes = Object.groupBy(log, ({ outcome }) => outcome ?? 'open')
      // The CA may fail an order if its own lookup takes too long. None is lost or given up.
      const { issued = [], failed = [], ...others } = outcomes
      assert.deepEqual([issued.length, others], [count, {}])
      assert.equal(ca.pebble.ordersMade(), count + failed.length)
      assert.equal(ca.edge.requests, 0)
      await other.stopWorking()
      await other.until(async () => {
        const left = await two.read.selectFrom('acme_challenges').selectAll().execute()
        return left.length === 0
      })
    }
    await Promise.all([two.close(), three.close()])
  })
})
