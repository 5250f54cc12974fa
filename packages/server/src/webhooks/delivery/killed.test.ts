import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { killOnExit } from '@masthead/testing/supervised-process.ts'
import { until } from '@masthead/testing/until.ts'
import { openDatabase } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { type Received, startReceiver, startWebhooks } from '../webhooks.test-kit.ts'
import type { NodeSettings } from './node.test-kit.ts'

const program = `
  const { runNode } = await import(${JSON.stringify(join(import.meta.dirname, 'node.test-kit.ts'))})
  await runNode(JSON.parse(process.argv[1]))`

function startNode(settings: NodeSettings): ChildProcess {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, JSON.stringify(settings)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  killOnExit(child)
  return child
}

type Behaviour = 'accept' | 'fail' | 'hang' | 'redirect' | 'reset'

/** What the endpoint does, by the number of the request. */
function behaviourAt(request: number): Behaviour {
  if (request < 150) return 'accept'
  if (request < 180) return 'fail'
  if (request < 190) return 'hang'
  if (request < 200) return 'redirect'
  if (request < 600) return 'accept'
  return request < 610 ? 'reset' : 'accept'
}

/** At these requests the node is killed, before or while they are answered. */
const kills = [60, 186, 605]
const [events, projects] = [1_000, 10]

onEachDatabase('1,000 events to an endpoint that fails, hangs, redirects and recovers', ({ location }) => {
  test('are delivered, in order per resource, although the node is killed again and again', async () => {
    await using where = await location()
    const accepted = new Map<string, string[]>()
    let [requests, wentElsewhere] = [0, 0]
    let node: ChildProcess | undefined
    let restart: () => void = () => {}

    function answer(
      { id, resource }: Received,
      res: Parameters<Parameters<typeof startReceiver>[0]>[2],
    ): void {
      const behaviour = behaviourAt(requests++)
      if (kills.includes(requests)) restart()
      if (behaviour === 'hang') return
      if (behaviour === 'fail') return void res.writeHead(500).end('not now')
      if (behaviour === 'reset') return void res.destroy()
      if (behaviour === 'redirect') {
        const location = requests % 2 === 0 ? 'http://169.254.169.254/' : elsewhere.url
        return void res.writeHead(307, { location }).end()
      }
      const ids = accepted.get(resource) ?? []
      // Right after a crash the same delivery may come again.
      if (ids.at(-1) !== id) ids.push(id)
      accepted.set(resource, ids)
      res.writeHead(204).end()
    }

    await using elsewhere = await startReceiver((_message, _req, res) => {
      wentElsewhere++
      res.end()
    })
    await using receiver = await startReceiver((message, _req, res) => answer(message, res))
    const key = randomBytes(32)
    const database = await openDatabase(where, { warn: console.error })
    const { account, webhook } = await startWebhooks(database, { url: receiver.url, key, at: Date.now() })
    await database.close()
    receiver.expect(webhook)
    const { [Symbol.asyncDispose]: _, ...plainLocation } = where
    const settings = {
      location: plainLocation,
      key: key.toString('hex'),
      accountId: account.id,
      events,
      projects,
    }
    restart = () => {
      node?.kill('SIGKILL')
      node = startNode(settings)
    }
    restart()
    const count = () => [...accepted.values()].reduce((sum, ids) => sum + ids.length, 0)
    await until(() => count() >= events + 1, { everyMs: 50, atMostMs: 230_000 })
    const ended = node && once(node, 'exit')
    node?.kill('SIGKILL')
    await ended

    const after = await openDatabase(where, { warn: console.error })
    const rows = await after.read.selectFrom('events').selectAll().orderBy('id').execute()
    await after.close()
    const expected = Map.groupBy(
      rows.filter(({ type }) => type === 'deployment.ready' || type === 'webhook.created'),
      (row) => row.project_id ?? row.account_id,
    )
    assert.equal(expected.size, projects + 1)
    for (const [resource, events] of expected) {
      assert.deepEqual(
        accepted.get(resource),
        events.map(({ id }) => id),
      )
    }
    assert.deepEqual(receiver.faults, [])
    assert.equal(wentElsewhere, 0)
  })
})
