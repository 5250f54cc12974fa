import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DnsCheck } from '@masthead/contract/schemas/domains/dns-check.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { type EventActor, system } from '../../events/record-event.ts'
import { isoTime } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { removeDomain } from '../claims/remove-domain.ts'
import type { DomainRow } from '../domain.ts'
import { by, type Domains, startDomains } from '../domains.test-kit.ts'
import { listTimeline, pruneTimeline, recordTimeline } from './timeline.ts'

function checkSeeing(...values: string[]): DnsCheck {
  const answers = values.map((value) => ({ type: 'A', value, ttl: Math.ceil(Math.random() * 300) }))
  return {
    at: isoTime(0),
    ok: false,
    outcome: 'wrong',
    findings: [
      { code: 'apex_elsewhere', effect: 'stops', message: 'It points elsewhere.', fix: 'Change it.' },
    ],
    changes: [],
    zone: 'acme.com',
    provider: null,
    source: 'authoritative',
    nameservers: [{ name: 'ns.acme.com', address: '192.0.2.1', outcome: 'answered', answers }],
  }
}

/** Records a check, a second after the previous entry. */
function note({ context, clock }: Domains, domain: DomainRow, check: DnsCheck, actor: EventActor = by) {
  clock.at += 1_000
  const checked = { domain, kind: 'checked', at: clock.at, by: actor, check } as const
  return context.database.write((tx) => recordTimeline(tx, checked))
}

onEachDatabase('the timeline of a domain', ({ open }) => {
  test('counts checks with the same result, whatever the order of the answers and their TTLs', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, clock } = domains
    const row = await domains.add('acme.com')
    const began = clock.at
    for (const seen of [
      ['1.1.1.1', '2.2.2.2'],
      ['2.2.2.2', '1.1.1.1'],
      ['3.3.3.3'],
      ['1.1.1.1', '2.2.2.2'],
    ]) {
      await note(domains, row, checkSeeing(...seen))
    }
    const { items } = await listTimeline(context, row, { limit: 10 })
    assert.deepEqual(
      items.map(({ kind, times, at, lastAt }) => [
        kind,
        times,
        Date.parse(at) - began,
        Date.parse(lastAt) - began,
      ]),
      [
        ['checked', 1, 4_000, 4_000],
        ['checked', 1, 3_000, 3_000],
        ['checked', 2, 1_000, 2_000],
        ['added', 1, 0, 0],
      ],
    )
    assert.deepEqual(items[1]?.check?.nameservers[0]?.answers[0]?.value, '3.3.3.3')
    assert.equal(items[3]?.message, 'The domain was added')
  })

  test('comes in pages, newest first', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const row = await domains.add('acme.com')
    for (let index = 0; index < 5; index++) await note(domains, row, checkSeeing(`192.0.2.${index}`))
    const seen: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await listTimeline(domains.context, row, { cursor, limit: 2 })
      assert.ok(page.items.length <= 2)
      seen.push(...page.items.map(({ kind, check }) => check?.nameservers[0]?.answers[0]?.value ?? kind))
      if (page.next === null) break
      cursor = page.next
    }
    const addresses = [4, 3, 2, 1, 0].map((index) => `192.0.2.${index}`)
    assert.deepEqual(seen, [...addresses, 'added'])
  })

  test('is deleted after 90 days without a repetition', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, clock } = domains
    const row = await domains.add('acme.com')
    await note(domains, row, checkSeeing('192.0.2.1'))
    clock.at += 60 * 24 * 3_600_000
    await note(domains, row, checkSeeing('192.0.2.1'))
    clock.at += 31 * 24 * 3_600_000
    assert.equal(await pruneTimeline(context), false)
    const kinds = async () => (await listTimeline(context, row, { limit: 9 })).items.map(({ kind }) => kind)
    assert.deepEqual(await kinds(), ['checked'])
    clock.at += 60 * 24 * 3_600_000
    await pruneTimeline(context)
    assert.deepEqual(await kinds(), [])
  })

  test('has a sentence for what a newer version recorded', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const row = await domains.add('acme.com')
    const unknown = { domain: row, kind: 'teleported' as 'moved', at: domains.context.now(), by }
    await database.write((tx) => recordTimeline(tx, unknown))
    const { items } = await listTimeline(domains.context, row, { limit: 1 })
    assert.equal(items[0]?.kind, 'teleported')
    assert.match(items[0]?.message ?? '', /newer version/)
  })

  test('is deleted in batches', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, clock } = domains
    await note(domains, await domains.add('acme.com'), checkSeeing('192.0.2.1'))
    const rows = await database.read.selectFrom('domain_timeline').selectAll().execute()
    await database.write(async (tx) => {
      for (let n = 0; n < 250; n++) {
        const [row = assert.fail()] = rows
        await tx
          .insertInto('domain_timeline')
          .values({ ...row, id: newId('event', clock.at) })
          .execute()
      }
    })
    clock.at += 91 * 24 * 3_600_000
    const count = async () =>
      (await database.read.selectFrom('domain_timeline').select('id').execute()).length
    const all = await count()
    assert.equal(await pruneTimeline(context), true)
    assert.equal(all - (await count()), 200)
    assert.equal(await pruneTimeline(context), false)
    assert.equal(await count(), 0)
  })

  test('counts only repetitions by the same actor', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const row = await domains.add('acme.com')
    for (const actor of [system, system, by, system]) {
      await note(domains, row, checkSeeing('192.0.2.1'), actor)
    }
    const { items } = await listTimeline(domains.context, row, { limit: 3 })
    assert.deepEqual(
      items.map(({ times, by }) => [times, by.kind]),
      [
        [1, 'system'],
        [1, by.kind],
        [2, 'system'],
      ],
    )
  })

  test('is restored when its account adds the name again, on any project, and for no other account', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, project, account, clock } = domains
    const other = await domains.addPublished('other', account.id)
    const stranger = await domains.addCustomer('stranger')
    const row = await domains.add('acme.com')
    await note(domains, row, checkSeeing('192.0.2.1'))
    clock.at += 1_000
    await removeDomain(context, { project, hostname: 'acme.com', by })
    clock.at += 1_000
    const kinds = async (of: DomainRow) =>
      (await listTimeline(context, of, { limit: 9 })).items.map(({ kind }) => kind)
    assert.deepEqual(await kinds(await domains.add('acme.com', { to: stranger.project })), ['added'])
    const again = await domains.add('acme.com', { to: other })
    assert.deepEqual(await kinds(again), ['added', 'removed', 'checked', 'added'])
    await note(domains, again, checkSeeing('192.0.2.1'))
    assert.deepEqual((await kinds(again)).length, 5)
  })

  test('keeps five thousand rows of names that an account removed, and all rows of the others', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, project, account } = domains
    const kept = await domains.add('kept.com')
    const row = await domains.add('acme.com')
    await database.write(async (tx) => {
      const rows = await tx
        .selectFrom('domain_timeline')
        .selectAll()
        .where('hostname', '=', row.hostname)
        .execute()
      const copies = Array.from({ length: 5_000 }, (_, n) =>
        rows.map((one) => ({
          ...one,
          id: `evt_0${String(n).padStart(19, '0')}` as const,
          hostname: `removed${n % 50}.com`,
          removed: 1,
        })),
      ).flat()
      for (let at = 0; at < copies.length; at += 1_000)
        await tx
          .insertInto('domain_timeline')
          .values(copies.slice(at, at + 1_000))
          .execute()
    })
    await removeDomain(context, { project, hostname: 'acme.com', by })
    const rows = await database.read
      .selectFrom('domain_timeline')
      .select(['id', 'hostname'])
      .where('account_id', '=', account.id)
      .orderBy('id')
      .execute()
    assert.equal(rows.filter(({ hostname }) => hostname !== kept.hostname).length, 5_000)
    assert.deepEqual(rows[0]?.id, `evt_0${'2'.padStart(19, '0')}`)
    assert.equal((await listTimeline(context, kept, { limit: 9 })).items.length, 1)
    assert.equal((await listTimeline(context, row, { limit: 9 })).items.length, 2)
  })

  test('keeps a thousand rows of a zone whose answers keep changing, and every change of state', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, clock } = domains
    const domain = await domains.add('acme.com')
    await database.write(async (tx) => {
      for (let index = 0; index < 1_010; index++) {
        const check = checkSeeing(`198.51.${index >> 8}.${index & 255}`)
        await recordTimeline(tx, { domain, kind: 'checked', at: ++clock.at, by, check })
      }
    })
    const rows = await database.read.selectFrom('domain_timeline').select('kind').orderBy('id').execute()
    assert.equal(rows.length, 1_000)
    assert.equal(rows[0]?.kind, 'added')
    const { items } = await listTimeline(context, domain, { limit: 1 })
    assert.equal(items[0]?.check?.nameservers[0]?.answers[0]?.value, '198.51.3.241')
  })

  test('keeps the newest thousand if all of them are changes', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { clock } = domains
    const domain = await domains.add('acme.com')
    await database.write(async (tx) => {
      for (let index = 0; index < 1_010; index++)
        await recordTimeline(tx, { domain, kind: 'restarted', at: ++clock.at, by })
    })
    await note(domains, domain, checkSeeing('192.0.2.1'))
    const rows = await database.read.selectFrom('domain_timeline').select('kind').orderBy('id').execute()
    assert.deepEqual([rows.length, rows[0]?.kind, rows.at(-1)?.kind], [1_000, 'restarted', 'checked'])
  })
})
