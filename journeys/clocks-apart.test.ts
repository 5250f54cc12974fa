import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { visit } from '@masthead/testing/clients/visit.ts'
import { freeDnsPort, freePort } from '@masthead/testing/free-port.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { requirePeer, skipWithout } from '@masthead/testing/peers/peers.ts'
import { type PostgresSchema, postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { until } from '@masthead/testing/until.ts'
import { assertServed } from './ca-and-dns.ts'
import { createTenant, requiredRecord, type Tenant, waitUntilLive } from './tenant.ts'

const tables = ['certificate_jobs', 'domains']
const namesPerRound = 8

/** Runs a program as on a machine whose clock is wrong by this much. */
const withClock = (offset: '+1h' | '-1h') => [
  'env',
  `LD_PRELOAD=${requirePeer('faketime')}`,
  `FAKETIME=${offset}`,
  'FAKETIME_DONT_FAKE_MONOTONIC=1',
]

interface LeaseLog {
  /** Whether nobody has a lease, and nothing is due within an hour. */
  areAllIdle(): Promise<boolean>
  /** How many processes had leases on rows of this table. */
  holders(table: string): Promise<number>
  /** Leases that one process took from another. */
  stolen(): Promise<unknown[]>
  /** Leases that had ended, or lasted for too long, when they were written. */
  misdated(): Promise<unknown[]>
  /** Certificate jobs that were claimed more than once. */
  repeated(): Promise<unknown[]>
}

async function logLeases(schema: PostgresSchema): Promise<LeaseLog> {
  await schema.query(`
    create table lease_log (held text, name text, before text, after text, ends_in bigint);
    create function log_lease() returns trigger as $$
      begin
        insert into lease_log values (tg_table_name, to_jsonb(new) ->> 'name', old.lease_owner, new.lease_owner,
          new.lease_until - extract(epoch from clock_timestamp()) * 1000);
        return new;
      end $$ language plpgsql`)
  for (const table of tables) {
    await schema.query(`
      create trigger log_lease after update on ${table} for each row
        when (new.lease_owner is not null and new.lease_until <> old.lease_until) execute function log_lease()`)
  }
  return {
    async areAllIdle() {
      const busy = await schema.query(`
        select name from certificate_jobs union all
        select hostname from domains where lease_owner is not null
          or next_check_at < extract(epoch from now()) * 1000 + 3600000`)
      return busy.length === 0
    },
    async holders(table) {
      const owners = `select distinct split_part(after, '-', 1) from lease_log where held = '${table}'`
      return (await schema.query(owners)).length
    },
    stolen: () => schema.query('select * from lease_log where before <> after'),
    misdated: () => schema.query('select * from lease_log where ends_in not between 0 and 180000'),
    repeated: () =>
      schema.query(
        `select name, count(distinct after) from lease_log where held = 'certificate_jobs'
         group by name having count(distinct after) > 1`,
      ),
  }
}

/** Leaves the rest to the workers. */
async function addPointed(tenant: Tenant, hostname: string): Promise<string> {
  const values = [requiredRecord(await tenant.add(hostname), 'CNAME')]
  await tenant.client.setLabRecord({ params: { name: hostname, type: 'CNAME' }, body: { values } })
  return hostname
}

test('workers whose clocks are two hours apart share the work: nothing is lost, repeated or taken away', {
  skip: skipWithout('faketime', 'postgresql'),
  timeout: 300_000,
}, async () => {
  await using schema = await postgresSchema()
  const lab = String(await freeDnsPort('127.0.0.1'))
  const ports = { http: await freePort(), https: await freePort() }
  const shared = {
    DATABASE_URL: schema.url,
    MASTHEAD_PUBLIC_HTTPS_PORT: String(ports.https),
    MASTHEAD_DNS_SERVERS: `127.0.0.1:${lab}`,
  }
  await using api = await MastheadProcess.start({
    env: { ...shared, MASTHEAD_ROLES: 'api', MASTHEAD_LAB_PORT: lab },
  })
  const leases = await logLeases(schema)
  const beside = { ...shared, MASTHEAD_DATA: api.dataFolder }
  const worker = { ...beside, MASTHEAD_ROLES: 'worker' }
  await using ahead = await MastheadProcess.start({ env: worker, under: withClock('+1h') })
  await using behind = await MastheadProcess.start({ env: worker, under: withClock('-1h') })
  const edgeEnv = { ...beside, MASTHEAD_ROLES: 'edge' }
  await using edge = await MastheadProcess.start({ env: edgeEnv, ports, under: withClock('+1h') })

  const tenant = await createTenant(api, 'acme')
  const names: string[] = []
  // Each does some of the work alone, with what the other left behind, and then both at once.
  for (const resting of [behind, ahead, null]) {
    resting?.signal('SIGSTOP')
    const added = Array.from(
      { length: namesPerRound },
      (_, index) => `n${names.length + index}.acme.localhost`,
    )
    names.push(...(await Promise.all(added.map((name) => addPointed(tenant, name)))))
    await waitUntilLive(tenant)
    // Every look is a connection, and a live domain is checked again after five seconds.
    await until(leases.areAllIdle, { everyMs: 500 })
    resting?.signal('SIGCONT')
  }
  for (const table of tables) assert.equal(await leases.holders(table), 2, `both worked on ${table}`)
  assert.deepEqual(await leases.stolen(), [])
  assert.deepEqual(await leases.misdated(), [])
  assert.deepEqual(await leases.repeated(), [])

  const root = await (await fetch(`${api.origin}/v1/ca.pem`)).text()
  await assertServed(edge, names, { root, page: 'acme' })
  for (const node of [ahead, behind]) assert.match(node.output, /clock differs from the database's/)
  assert.doesNotMatch(api.output, /clock differs/)
})

test('servers whose clocks are two hours apart publish and keep deployments in the order in which they came', {
  skip: skipWithout('faketime', 'postgresql'),
  timeout: 120_000,
}, async () => {
  await using schema = await postgresSchema()
  await using right = await MastheadProcess.start({ env: { DATABASE_URL: schema.url } })
  const env = { DATABASE_URL: schema.url, MASTHEAD_DATA: right.dataFolder }
  await using ahead = await MastheadProcess.start({ env, under: withClock('+1h') })
  await using behind = await MastheadProcess.start({ env, under: withClock('-1h') })
  const { key, client, slug } = await createTenant(right, 'acme')

  const published: string[] = []
  for (const server of [ahead, right, behind, ahead, behind, right]) {
    const response = await fetch(`${server.origin}/v1/projects/${slug}/deployments?branch=next`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/gzip' },
      body: tarGz({ 'index.html': `number ${published.length}` }),
    })
    assert.equal(response.status, 201)
    published.push(((await response.json()) as Deployment).id)
  }
  const { items } = await client.listDeployments({ params: { project: slug } })
  assert.deepEqual(items.map(({ id }) => id).slice(0, published.length), published.toReversed())
  const branch = await visit(right, `next--${slug}`, '/')
  assert.equal(branch.body, `number ${published.length - 1}`)
})
