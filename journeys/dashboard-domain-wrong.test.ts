import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { visitHost } from '@masthead/testing/clients/visit.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { domainStatus, seedDomains } from './dashboard-data.ts'
import { visitInSharedBrowser } from './dashboard-visit.ts'
import { requiredRecord } from './tenant.ts'

const name = 'help.acme.localhost'
const lab = `/v1/lab/records/${name}`

test('a conflicting record is shown with its fix, and once it is fixed the domain goes live', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page, masthead, call } = visit
  await seedDomains(visit, 'acme', [])
  await call(`PUT ${lab}/A`, { values: ['203.0.113.7'] })

  await visit.open('/projects/acme/settings/domains')
  await page.getByRole('textbox', { name: 'Domain' }).fill(name)
  await page.getByRole('button', { name: 'Add domain' }).click()
  await page.getByRole('link', { name: `Timeline of ${name}` }).click()
  await page.getByRole('heading', { name, level: 1 }).waitFor()

  const verify = page.getByRole('button', { name: `Verify now: ${name}` })
  await verify.click()
  await page.getByText('Not yet: an A or AAAA record is in the way.').waitFor()
  await domainStatus(page, name, 'Waiting for DNS').waitFor()
  const target = requiredRecord(await call<Domain>(`GET /v1/projects/acme/domains/${name}`), 'CNAME')
  const notice = page.getByRole('status').filter({ hasText: 'An A record is in the way' })
  assert.match(await notice.innerText(), /Remove A 203\.0\.113\.7 for help, then add the CNAME\./)

  const changes = page.getByRole('table', { name: `DNS records of ${name}` }).getByRole('row')
  assert.deepEqual(
    (await changes.allInnerTexts()).slice(1).map((row) => row.split(/\s+/).slice(0, 3)),
    [
      ['Remove', 'A', 'help'],
      ['Add', 'CNAME', 'help'],
    ],
  )
  await changes.filter({ hasText: 'Remove' }).getByText('203.0.113.7').waitFor()
  await changes.filter({ hasText: 'Add' }).getByText(target).waitFor()
  const servers = page.getByRole('table', { name: 'What each nameserver said' })
  await servers.getByRole('row', { name: 'answered' }).getByText('A 203.0.113.7').waitFor()

  await call(`DELETE ${lab}/A`)
  await call(`PUT ${lab}/CNAME`, { values: [target] })
  await verify.click()
  await domainStatus(page, name, 'Live').waitFor()
  await notice.waitFor({ state: 'detached' })
  await servers.getByRole('row', { name: 'answered' }).getByText(`CNAME ${target}`).waitFor()
  assert.equal((await visitHost(masthead, name)).body, 'acme')

  const timeline = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem')
  const wrong = timeline.filter({ hasText: 'DNS was checked. An A or AAAA record is in the way.' })
  await wrong.getByText('What was found').click()
  await wrong.getByRole('table').getByText('A 203.0.113.7').waitFor()
  await timeline.filter({ hasText: 'DNS is set up correctly: the domain is verified.' }).waitFor()
  await timeline.filter({ hasText: 'the domain is live.' }).waitFor()
  assert.deepEqual(visit.faults, [])
})
