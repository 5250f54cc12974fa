import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { visitHost } from '@masthead/testing/clients/visit.ts'
import { freeDnsPort } from '@masthead/testing/free-port.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { startKnot } from '@masthead/testing/peers/knot.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { until } from '@masthead/testing/until.ts'
import { createTenant, requiredRecord } from './tenant.ts'

const names = ['one', 'two', 'three'].map((label) => `${label}.acme.test`)

/** A nameserver that receives queries and never replies. */
async function startSilentServer(port: number) {
  const socket = createSocket('udp4').bind(port, '127.0.0.1')
  await once(socket, 'listening')
  const asked = new Set<string>()
  socket.on('message', (query) => {
    for (const name of names) {
      const label = name.slice(0, name.indexOf('.'))
      if (query.includes(`${String.fromCharCode(label.length)}${label}\u0004acme`)) asked.add(name)
    }
  })
  return { asked, stop: () => new Promise<void>((closed) => socket.close(closed)) }
}

/** Ends the leases of the killed worker now instead of minutes later. Returns how many there were. */
function endLeases({ dataFolder }: MastheadProcess): number {
  using database = new DatabaseSync(join(dataFolder, 'masthead.db'))
  const end = database.prepare('update domains set lease_until = 0 where lease_until > ?')
  return Number(end.run(Date.now()).changes)
}

test('domains whose checks were running when the worker was killed are verified after its restart', {
  skip: skipWithout('knot'),
  timeout: 300_000,
}, async () => {
  const port = await freeDnsPort('127.0.0.1')
  const silent = await startSilentServer(port)
  await using masthead = await MastheadProcess.start({
    env: {
      MASTHEAD_PLATFORM_DOMAIN: 'masthead.test',
      MASTHEAD_DNS_SERVERS: `127.0.0.1:${port}`,
      MASTHEAD_DNS_PORT: String(port),
    },
  })
  const tenant = await createTenant(masthead, 'acme')
  const records: string[] = []
  for (const name of names) records.push(`${name}. CNAME ${requiredRecord(await tenant.add(name), 'CNAME')}.`)
  await until(() => silent.asked.size >= names.length)
  await masthead.kill('SIGKILL')
  await silent.stop()
  assert.equal(endLeases(masthead), names.length)

  await using _nameserver = await startKnot({ port, zones: { 'acme.test': records.join('\n') } })
  await masthead.restart()
  for (const name of names) {
    await until(async () => (await tenant.domain(name)).verifiedAt !== null)
    assert.deepEqual(await visitHost(masthead, name), { status: 200, body: 'acme' })
  }
})
