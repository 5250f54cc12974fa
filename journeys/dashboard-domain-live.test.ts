import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { visitHost } from '@masthead/testing/clients/visit.ts'
import { startChromium } from '@masthead/testing/peers/chromium.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { domainStatus } from './dashboard-data.ts'
import { visitInSharedBrowser } from './dashboard-visit.ts'
import { requiredRecord } from './tenant.ts'

const name = 'www.acme.localhost'

test('from the welcome link to a custom domain that is live over HTTPS, without a reload', {
  skip: skipWithout('chromium', 'nss'),
  timeout: 300_000,
}, async () => {
  await using home = await temporaryFolder('masthead-folder')
  const folder = join(home.path, 'Acme')
  await mkdir(folder)
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Acme</title><h1>Acme at home</h1>')

  await using visit = await visitInSharedBrowser()
  const { page, masthead, browser } = visit
  await browser.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: masthead.origin })
  // Lost as soon as the browser loads another document.
  await page.evaluate('globalThis.isSameDocument = true')

  await page.getByLabel('Choose a folder').setInputFiles(folder)
  await page.getByRole('button', { name: 'Create and publish' }).click()
  await page.getByRole('heading', { name: 'Published', exact: true }).waitFor()

  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('link', { name: 'Domains' }).click()
  await page.getByRole('heading', { name: 'Custom domains come with Pro' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Add domain' }).count(), 0)
  await page.getByRole('link', { name: 'Compare plans' }).click()
  await page.getByRole('button', { name: 'Change to Pro' }).click()
  await page.getByText('The plan is now Pro.').waitFor()
  await page.goBack()

  await page.getByRole('textbox', { name: 'Domain' }).fill('https://WWW.Acme.localhost/')
  await page.getByText(`${name}, a subdomain. Its DNS is at the lab.`).waitFor()
  await page.keyboard.press('Enter')
  await domainStatus(page, name, 'Waiting for DNS').waitFor()
  assert.equal((await visitHost(masthead, name)).status, 404)

  const domain = await visit.call<Domain>(`GET /v1/projects/acme/domains/${name}`)
  const records = page.getByRole('table', { name: `DNS records of ${name}` })
  const record = records.getByRole('row', { name: 'CNAME' })
  const copied = async (what: string) => {
    await record.getByRole('button', { name: `Copy ${what}` }).click()
    await record.getByRole('status').getByText('Copied').first().waitFor()
    return page.evaluate<string>('navigator.clipboard.readText()')
  }
  assert.equal(await copied('the name www'), 'www')
  assert.equal(await copied('the value'), requiredRecord(domain, 'CNAME'))

  const steps = page.getByRole('list', { name: `Progress of ${name}` }).getByRole('listitem')
  const current = steps.and(page.locator('[aria-current="step"]'))
  await current.filter({ hasText: 'DNS record' }).waitFor()
  // Hold back later responses until the first state has been seen.
  const seen = Promise.withResolvers<void>()
  await page.route('**/v1/projects/acme/domains?*', async (route) => {
    await seen.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Set the record in the local DNS' }).click()
  await domainStatus(page, name, 'Verified').waitFor()
  await current.filter({ hasText: 'Certificate' }).waitFor()
  seen.resolve()
  await domainStatus(page, name, 'Live').waitFor()
  for (const step of ['DNS record, done', 'Certificate, done', 'Live, done']) {
    await steps.filter({ hasText: step }).waitFor()
  }

  await page.getByRole('link', { name: `Timeline of ${name}` }).click()
  const opened = page.waitForEvent('popup')
  await page.getByRole('link', { name: 'Open site' }).click()
  await (await opened).getByRole('heading', { name: 'Acme at home' }).waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download its root certificate' }).click()
  const root = await readFile(await (await download).path(), 'utf8')
  assert.equal(await page.evaluate('globalThis.isSameDocument'), true)

  await using visitor = await startChromium({ root })
  const site = await visitor.context.newPage()
  await site.goto(`https://${name}:${masthead.httpsPort}/`)
  await site.getByRole('heading', { name: 'Acme at home' }).waitFor()
  assert.deepEqual(visit.faults, [])
})
