import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { plans } from '@masthead/contract/plans.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { type RunningRedis, startRedis } from '@masthead/testing/peers/redis.ts'
import { killOnExit } from '@masthead/testing/supervised-process.ts'

const processes = 4
const requestsEach = 350
const runs = 20

/**
 * A long timeout: on a busy machine, a slow reply must not fall back to the local share, or the test proves nothing.
 */
const program = `
  import { openDatabase } from ${JSON.stringify(import.meta.resolve('../../database/database.ts'))}
  import { Journal } from ${JSON.stringify(import.meta.resolve('../journal.ts'))}
  import { RedisConnection } from ${JSON.stringify(import.meta.resolve('./redis-connection.ts'))}
  import { createRedisLimiter } from ${JSON.stringify(import.meta.resolve('./redis-limiter.ts'))}
  const database = await openDatabase({ dialect: 'sqlite', file: ':memory:' }, console)
  const now = Date.now
  const connection = await RedisConnection.open({ url: process.argv[1], log: console, timeout: 60_000 })
  const limiter = createRedisLimiter({ connection, journal: new Journal({ database, now }, console), now })
  process.on('message', async ({ request, count }) => {
    const verdicts = await Promise.all(Array.from({ length: count }, () => limiter.check(request)))
    process.send(verdicts.filter(({ admitted }) => admitted).length)
  })
  process.send('ready')`

describe('several processes on one Redis', { skip: skipWithout('redis') }, () => {
  let server: RunningRedis
  let nodes: ChildProcess[] = []

  before(async () => {
    server = await startRedis()
    nodes = Array.from({ length: processes }, () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', program, server.url], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      })
      killOnExit(child)
      return child
    })
    await Promise.all(nodes.map((node) => once(node, 'message')))
  })
  after(async () => {
    for (const node of nodes) node.kill()
    await server.stop()
  })

  const limitsOf = {
    free: { perMinute: plans.free.requestsPerMinute, perDay: plans.free.requestsPerDay },
    pro: { perMinute: plans.pro.requestsPerMinute, perDay: plans.pro.requestsPerDay },
    business: { perMinute: plans.business.requestsPerMinute, perDay: plans.business.requestsPerDay },
    enterprise: { perMinute: 5_000, perDay: 777 },
  }
  for (const [plan, limits] of Object.entries(limitsOf)) {
    test(`of 1,400 simultaneous requests exactly the limit of ${plan} is admitted, every time`, async () => {
      for (let run = 0; run < runs; run++) {
        const request = { accountId: `acc_${plan}${run}`, keyId: `key_${plan}${run}`, limits }
        const answers = nodes.map(async (node) => {
          const answer = once(node, 'message')
          node.send({ request, count: requestsEach })
          return Number((await answer)[0])
        })
        const admitted = (await Promise.all(answers)).reduce((sum, count) => sum + count)
        assert.equal(admitted, Math.min(limits.perMinute, limits.perDay))
      }
    })
  }
})
