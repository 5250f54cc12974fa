import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { Client } from 'pg'
import { type DatabaseLocation, openDatabase } from '../database.ts'
import { onEachDatabase } from '../each-database.test-kit.ts'

const silent = { warn: () => {} }

/** Loads everything, waits for a line on stdin, opens the database and writes to it. */
const program = `
  import { openDatabase } from ${JSON.stringify(import.meta.resolve('../database.ts'))}
  process.send('loaded')
  const [location] = await new Promise((resolve) => process.once('message', (...args) => resolve(args)))
  const database = await openDatabase(location, console)
  const id = 'acc_' + process.pid
  await database.write((tx) =>
    tx.insertInto('accounts').values({ id, name: 'A', plan: 'free', created_at: 1 }).execute())
  await database.close()
  process.disconnect()`

async function process(): Promise<{ open(location: DatabaseLocation): Promise<void> }> {
  const child = spawn(globalThis.process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  await once(child, 'message')
  const exited = once(child, 'exit')
  const errors = child.stderr === null ? '' : text(child.stderr)
  return {
    async open(location) {
      child.send(location)
      const [code] = await exited
      assert.equal(code, 0, await errors)
    },
  }
}

async function runSql(location: DatabaseLocation, sql: string): Promise<void> {
  if (location.dialect === 'sqlite') {
    using database = new DatabaseSync(location.file)
    database.exec(sql)
    return
  }
  const client = new Client({ connectionString: location.url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

onEachDatabase('migration', ({ emptyLocation }) => {
  test('processes that start together on an empty database all get their tables', async () => {
    await using where = await emptyLocation()
    const target = { ...where }
    const processes = await Promise.all([process(), process(), process(), process()])
    await Promise.all(processes.map((one) => one.open(target)))
    const database = await openDatabase(where, silent)
    assert.equal((await database.read.selectFrom('accounts').selectAll().execute()).length, 4)
    await database.close()
  })

  test('two schemas of one server do not mix up their tables', async () => {
    await using here = await emptyLocation()
    await using there = await emptyLocation()
    const first = await openDatabase(here, silent)
    const second = await openDatabase(there, silent)
    assert.deepEqual(await second.read.selectFrom('accounts').selectAll().execute(), [])
    await first.close()
    await second.close()
  })

  test('a failed migration leaves nothing behind, and can run again once its cause is fixed', async () => {
    await using where = await emptyLocation()
    await runSql(where, 'create table idempotency (in_the_way integer)')
    await assert.rejects(openDatabase(where, silent), /idempotency/)
    await assert.rejects(runSql(where, 'select * from accounts'), /accounts/)
    await runSql(where, 'drop table idempotency')
    const database = await openDatabase(where, silent)
    assert.deepEqual(await database.read.selectFrom('accounts').selectAll().execute(), [])
    await database.close()
  })

  test('a database of a newer version is not touched', async () => {
    await using where = await emptyLocation()
    await (await openDatabase(where, silent)).close()
    await runSql(where, "insert into migrations (name, at) values ('9999-from-the-future', 1)")
    await assert.rejects(
      openDatabase(where, silent),
      /created by a newer version of Masthead \(9999-from-the-future\)/,
    )
  })

  test('a second start changes nothing', async () => {
    await using where = await emptyLocation()
    const first = await openDatabase(where, silent)
    const account = { id: 'acc_1', name: 'A', plan: 'free', created_at: 1 } as const
    const limits = { limit_per_minute: null, limit_per_day: null }
    await first.write((tx) =>
      tx
        .insertInto('accounts')
        .values({ ...account, ...limits })
        .execute(),
    )
    await first.close()
    const second = await openDatabase(where, silent)
    const rows = await second.read.selectFrom('accounts').select('id').execute()
    assert.deepEqual(
      rows.map(({ id }) => id),
      ['acc_1'],
    )
    await second.close()
  })

  test('keys without a creator get it from the event of their creation', async () => {
    await using where = await emptyLocation()
    await (await openDatabase(where, silent)).close()
    const key = (id: string, person: string) =>
      `insert into keys (id, account_id, person_id, name, scopes, secret_hash, hint, created_at)
         values ('${id}', 'acc_1', ${person}, 'k', 'read', '${id}', 'h', 1);`
    const event = (id: string, actor: string, keyId: string) =>
      `insert into events (id, account_id, type, actor_kind, actor_id, actor_name, data, at)
         values ('${id}', 'acc_1', 'key.created', ${actor}, '{"keyId":"${keyId}"}', 1);`
    await runSql(
      where,
      `delete from migrations where name = '0010-known-places';
       drop table known_networks;
       alter table invitations drop column inviter_id;
       ${['created_by_kind', 'created_by_id', 'created_by_name', 'responsible_id']
         .map((column) => `alter table keys drop column ${column};`)
         .join('\n')}
       insert into accounts (id, name, plan, created_at) values ('acc_1', 'A', 'free', 1);
       insert into people (id, email, name, password_hash, operator, created_at)
         values ('usr_1', 'a@b.c', 'Ada', '', 0, 1);
       ${key('key_1', 'null')} ${key('key_2', 'null')} ${key('key_3', "'usr_1'")} ${key('key_4', 'null')}
       ${event('evt_1', "'person', 'usr_1', 'Ada'", 'key_1')}
       ${event('evt_2', "'operator', null, 'Operator'", 'key_2')}
       ${event('evt_3', "'person', 'usr_1', 'Ada'", 'key_gone')}`,
    )
    const database = await openDatabase(where, silent)
    const rows = await database.read.selectFrom('keys').selectAll().orderBy('id').execute()
    assert.deepEqual(
      rows.map((row) => [row.created_by_kind, row.created_by_name, row.responsible_id]),
      [
        ['person', 'Ada', 'usr_1'],
        ['operator', 'Operator', null],
        [null, null, 'usr_1'],
        [null, null, null],
      ],
    )
    await database.close()
  })

  test('trusted publishers and webhooks get the person who is responsible from the event of their creation', async () => {
    await using where = await emptyLocation()
    await (await openDatabase(where, silent)).close()
    const event = (n: number, type: string, actor: string, data: string) =>
      `insert into events (id, account_id, type, actor_kind, actor_id, actor_name, data, at)
         values ('evt_${n}', 'acc_1', '${type}', ${actor}, 'A', '${data}', 1);`
    const key = (id: string, responsible: string) =>
      `insert into keys (id, account_id, name, scopes, secret_hash, hint, created_at, responsible_id)
         values ('${id}', 'acc_1', 'k', 'admin', '${id}', 'h', 1, ${responsible});`
    const creators = [
      `'person', 'usr_1'`,
      `'key', 'key_1'`,
      `'key', 'key_gone'`,
      `'key', 'key_2'`,
      `'operator', null`,
      null,
    ]
    const rows = creators.map(
      (creator, n) => `
        insert into trusted_publishers (id, account_id, project_id, issuer, claims, created_at, created_by)
          values ('pub_${n}', 'acc_1', 'prj_1', 'https://issuer.example', '{}', 1, 'A');
        insert into webhooks (id, account_id, url, format, sealed_secret, previous_until, created_at, failures,
          paused_until) values ('whk_${n}', 'acc_1', 'https://a.example', 'standard', 's', 0, 1, 0, 0);
        ${creator === null ? '' : event(n, 'publisher.added', creator, `{"publisherId":"pub_${n}"}`)}
        ${creator === null ? '' : event(10 + n, 'webhook.created', creator, `{"webhookId":"whk_${n}"}`)}`,
    )
    await runSql(
      where,
      `delete from migrations where name = '0036-responsible-people';
       alter table trusted_publishers drop column responsible_id;
       alter table webhooks drop column responsible_id;
       insert into accounts (id, name, plan, created_at) values ('acc_1', 'A', 'free', 1);
       insert into projects (id, account_id, slug, name, html_handling, single_page, created_at, updated_at)
         values ('prj_1', 'acc_1', 'a', 'A', 'auto', 0, 1, 1);
       ${key('key_1', "'usr_2'")} ${key('key_2', 'null')}
       ${event(90, 'key.created', `'person', 'usr_3'`, '{"keyId":"key_gone"}')}
       ${rows.join('')}`,
    )
    const database = await openDatabase(where, silent)
    for (const table of ['trusted_publishers', 'webhooks'] as const) {
      const found = await database.read.selectFrom(table).select('responsible_id').orderBy('id').execute()
      assert.deepEqual(
        found.map(({ responsible_id }) => responsible_id),
        ['usr_1', 'usr_2', 'usr_3', null, null, null],
      )
    }
    await database.close()
  })

  test('older timelines of domains stay with their account and hostname', async () => {
    await using where = await emptyLocation()
    await (await openDatabase(where, silent)).close()
    const event = `'checked', 1, 2, 3, 'system', null, 'Masthead', 'f', null, '{}'`
    await runSql(
      where,
      `delete from migrations where name = '0008-kept-timelines';
       drop index tombstones_unproved;
       drop table domain_timeline;
       create table domain_timeline (
         id text primary key, domain_id text not null references domains (id) on delete cascade,
         kind text not null, at bigint not null, last_at bigint not null, times integer not null,
         actor_kind text not null, actor_id text, actor_name text not null,
         fingerprint text, check_result text, data text not null);
       create index timeline_by_time on domain_timeline (last_at);
       insert into accounts (id, name, plan, created_at) values ('acc_1', 'A', 'pro', 1);
       insert into projects (id, account_id, slug, name, html_handling, single_page, created_at, updated_at)
         values ('prj_1', 'acc_1', 'a', 'A', 'auto', 0, 1, 1);
       insert into domains (id, account_id, project_id, hostname, kind, state, held, target, challenge,
         created_at, searching_since, asked_at, state_since, lease_until)
         values ('dom_1', 'acc_1', 'prj_1', 'acme.com', 'apex', 'pending', 0, 't', 'c', 1, 1, 1, 1, 0);
       insert into domain_timeline values ('evt_1', 'dom_1', ${event})`,
    )
    const database = await openDatabase(where, silent)
    await database.write((tx) => tx.deleteFrom('domains').execute())
    const [row] = await database.read.selectFrom('domain_timeline').selectAll().execute()
    assert.deepEqual(
      { ...row },
      {
        id: 'evt_1',
        account_id: 'acc_1',
        hostname: 'acme.com',
        removed: 0,
        kind: 'checked',
        at: 1,
        last_at: 2,
        times: 3,
        actor_kind: 'system',
        actor_id: null,
        actor_name: 'Masthead',
        fingerprint: 'f',
        check_result: null,
        data: '{}',
      },
    )
    await database.close()
  })

  test('domains older than proofs keep their hostname and state, and get their registrable domain', async () => {
    await using where = await emptyLocation()
    await (await openDatabase(where, silent)).close()
    const columns = ['proof', 'proof_due_at', 'proof_noticed_at', 'registrable']
    const hostnames = ['acme.co.uk', 'www.acme.co.uk', 'a.b.acme.com', 'team.github.io']
    const rows = hostnames.map(
      (name, n) =>
        `('dom_${n}', 'acc_1', 'prj_1', '${name}', 'apex', 'live', 1, 't${n}', 'c', 1, 1, 1, 1, 0)`,
    )
    await runSql(
      where,
      `delete from migrations where name = '0013-names';
       drop index domains_of_registrable;
       drop index domains_wildcards;
       ${columns.map((column) => `alter table domains drop column ${column};`).join('\n')}
       alter table domain_tombstones add column challenge text;
       drop table released_slugs;
       insert into accounts (id, name, plan, created_at) values ('acc_1', 'A', 'pro', 1);
       insert into projects (id, account_id, slug, name, html_handling, single_page, created_at, updated_at)
         values ('prj_1', 'acc_1', 'a', 'A', 'auto', 0, 1, 1);
       insert into domains (id, account_id, project_id, hostname, kind, state, held, target, challenge,
         created_at, searching_since, asked_at, state_since, lease_until)
         values ${rows.join(', ')}`,
    )
    const database = await openDatabase(where, silent)
    const found = await database.read
      .selectFrom('domains')
      .select(['hostname', 'state', 'held', 'proof', 'registrable'])
      .orderBy('id')
      .execute()
    assert.deepEqual(
      found.map(({ hostname, state, held, proof, registrable }) => [
        hostname,
        state,
        held,
        proof,
        registrable,
      ]),
      [
        ['acme.co.uk', 'live', 1, null, 'acme.co.uk'],
        ['www.acme.co.uk', 'live', 1, null, 'acme.co.uk'],
        ['a.b.acme.com', 'live', 1, null, 'acme.com'],
        ['team.github.io', 'live', 1, null, 'team.github.io'],
      ],
    )
    await database.close()
  })
})
