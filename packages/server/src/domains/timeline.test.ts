import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DnsCheck } from '@masthead/contract/schemas/domain.ts'
import { isoTime } from '../clock.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import type { DomainRow } from './domain.ts'
import { by, type Domains, startDomains } from './domains.test-kit.ts'
import { forgetTimeline } from './forget-timeline.ts'
import { listTimeline, recordTimeline } from './timeline.ts'

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

/** Notes a check, a second after what was noted before. */
function note({ context, clock }: Domains, domain: DomainRow, check: DnsCheck) {
  clock.at += 1_000
  const checked = { domain, kind: 'checked', at: clock.at, by, check } as const
  return context.database.write((tx) => recordTimeline(tx, checked))
}

onEachDatabase('the timeline of a domain', ({ open }) => {
  test('counts checks that find the same, whatever the order of the answers and their TTLs', async () => {
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
    const { items } = await listTimeline(context, row.id, { limit: 10 })
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
      const page = await listTimeline(domains.context, row.id, { cursor, limit: 2 })
      assert.ok(page.items.length <= 2)
      seen.push(...page.items.map(({ kind, check }) => check?.nameservers[0]?.answers[0]?.value ?? kind))
      if (page.next === null) break
      cursor = page.next
    }
    const addresses = [4, 3, 2, 1, 0].map((index) => `192.0.2.${index}`)
    assert.deepEqual(seen, [...addresses, 'added'])
  })

  test('is forgotten after 90 days without being seen again', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, clock } = domains
    const row = await domains.add('acme.com')
    await note(domains, row, checkSeeing('192.0.2.1'))
    clock.at += 60 * 24 * 3_600_000
    await note(domains, row, checkSeeing('192.0.2.1'))
    clock.at += 31 * 24 * 3_600_000
    assert.equal(await forgetTimeline(context), false)
    const kinds = async () =>
      (await listTimeline(context, row.id, { limit: 9 })).items.map(({ kind }) => kind)
    assert.deepEqual(await kinds(), ['checked'])
    clock.at += 60 * 24 * 3_600_000
    await forgetTimeline(context)
    assert.deepEqual(await kinds(), [])
  })

  test('of a zone that answers differently every time keeps a thousand rows', async () => {
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
    const rows = database.read.selectFrom('domain_timeline').select((e) => e.fn.countAll().as('rows'))
    assert.equal(Number((await rows.executeTakeFirst())?.rows), 1_000)
    const { items } = await listTimeline(context, domain.id, { limit: 1 })
    assert.equal(items[0]?.check?.nameservers[0]?.answers[0]?.value, '198.51.3.241')
  })
})
