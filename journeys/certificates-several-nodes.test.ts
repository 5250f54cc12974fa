import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Http2Connection } from '@masthead/testing/clients/visit.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { type PostgresSchema, postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { until } from '@masthead/testing/until.ts'
import { assertServed, startCaAndDns } from './ca-and-dns.ts'
import { createTenant, waitUntilLive } from './tenant.ts'

const names = Array.from({ length: 40 }, (_, index) => `n${index}.acme.test`)

/** Records which processes store an order, by the first part of the lease owner. */
async function recordWhoOrders(schema: PostgresSchema): Promise<() => Promise<string[]>> {
  await schema.query(`
    create table ordering (process text primary key);
    create function note_ordering() returns trigger as $$
      begin
        insert into ordering values (split_part(new.lease_owner, '-', 1)) on conflict do nothing;
        return new;
      end $$ language plpgsql;
    create trigger note_ordering after update on certificate_jobs for each row
      when (new.order_url is not null and old.order_url is null) execute function note_ordering()`)
  return async () => (await schema.query<{ process: string }>('table ordering')).map(({ process }) => process)
}

test('two nodes order one certificate per name, and a third serves the CA and visitors', {
  skip: skipWithout('pebble', 'knot', 'postgresql'),
  timeout: 300_000,
}, async () => {
  await using schema = await postgresSchema()
  await using around = await startCaAndDns()
  const { env, ports, apiHost } = around.masthead
  const shared = { ...env, DATABASE_URL: schema.url, MASTHEAD_PUBLIC_HTTPS_PORT: String(ports.https) }
  await using api = await MastheadProcess.start({ env: { ...shared, MASTHEAD_ROLES: 'api' }, apiHost })
  const whoOrdered = await recordWhoOrders(schema)
  const beside = { ...shared, MASTHEAD_DATA: api.dataFolder }
  await using _first = await MastheadProcess.start({ env: { ...beside, MASTHEAD_ROLES: 'worker' } })
  await using _second = await MastheadProcess.start({ env: { ...beside, MASTHEAD_ROLES: 'worker' } })
  await using edge = await MastheadProcess.start({ env: { ...beside, MASTHEAD_ROLES: 'edge' }, ports })

  const tenant = await createTenant(api, 'acme')
  await around.point(...(await Promise.all(names.map(tenant.add))))
  await Promise.all(names.map(tenant.verify))
  const live = await waitUntilLive(tenant)
  assert.deepEqual(live.map(({ hostname }) => hostname).toSorted(), names.toSorted())
  assert.equal(around.pebble.ordersMade(), names.length)
  assert.equal((await whoOrdered()).length, 2, 'both nodes ordered')

  const root = await around.pebble.issuerRootPem()
  await assertServed(edge, names, { root, page: 'acme' })
  const [{ hostname = '' } = {}] = live
  using open = await Http2Connection.to(edge.httpsPort, hostname, root)
  await tenant.remove(hostname)
  await until(async () => (await open.ask(hostname)).status !== 200)
  await assert.rejects(Http2Connection.to(edge.httpsPort, hostname, root), {
    code: 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME',
  })
})
