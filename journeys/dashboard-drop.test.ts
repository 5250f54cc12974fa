import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { type DashboardVisit, person } from '@masthead/testing/clients/dashboard-visit.ts'
import { visit } from '@masthead/testing/clients/visit.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { translatePage } from './dashboard-page.ts'
import { visitInSharedBrowser } from './dashboard-visit.ts'

const pages = 500
const pageAt = (number: number) => `chapter-${number % 7}/page-${number}.html`
const contentOf = (number: number) => `<!doctype html><title>${number}</title><h1>Page ${number}</h1>`

/** A site of 500 files in seven folders, plus an ignored folder. */
async function makeSite(folder: string): Promise<void> {
  await mkdir(join(folder, '.git'), { recursive: true })
  await writeFile(join(folder, '.git', 'config'), 'not for visitors')
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>Almanac</title><h1>Almanac</h1>')
  for (let number = 1; number < pages; number++) {
    await mkdir(join(folder, pageAt(number), '..'), { recursive: true })
    await writeFile(join(folder, pageAt(number)), contentOf(number))
  }
}

/** Drags a folder over the page and drops it, like a file manager. */
async function drop({ page, browser }: DashboardVisit, folder: string, hint: string): Promise<void> {
  const session = await browser.context.newCDPSession(page)
  const data = { items: [], files: [folder], dragOperationsMask: 1 }
  const drag = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    session.send('Input.dispatchDragEvent', { type, x: 400, y: 400, data })
  await drag('dragEnter')
  await drag('dragOver')
  await page.getByText(hint).waitFor()
  await drag('drop')
}

async function assertAllServed({ call, masthead }: DashboardVisit, slug: string): Promise<void> {
  const { activeDeployment } = await call<Project>(`GET /v1/projects/${slug}`)
  assert.equal(activeDeployment?.files, pages)
  for (const number of [1, 250, pages - 1]) {
    const answer = await visit(masthead, slug, `/${pageAt(number).replace('.html', '')}`)
    assert.deepEqual(answer, { status: 200, body: contentOf(number) })
  }
}

test('dropping a folder of 500 files publishes it, and dropping it again uploads nothing', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using dashboard = await visitInSharedBrowser()
  await using home = await temporaryFolder('masthead-drop')
  const { page } = dashboard
  const folder = join(home.path, 'almanac')
  await makeSite(folder)
  const sent: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.includes('/files')) sent.push(request.url())
  })

  await drop(dashboard, folder, 'Drop to publish as a new project')
  const dialog = page.getByRole('dialog', { name: 'New project' })
  await dialog.getByText('500 files,').waitFor()
  assert.equal(await dialog.getByLabel('Address').inputValue(), 'almanac')
  assert.equal(await page.evaluate('document.activeElement.name'), 'name', 'the dialog takes the focus')
  await dialog.getByRole('button', { name: 'Create and publish' }).click()

  const upload = page.getByRole('region', { name: 'Upload' })
  await upload.getByRole('heading', { name: 'Published' }).waitFor()
  assert.equal(await upload.getByRole('progressbar').getAttribute('aria-valuenow'), '100')
  await upload.getByText(/^500 files, [\d.]+ kB$/).waitFor()
  assert.ok(sent.length > 0, 'new files are uploaded')
  await assertAllServed(dashboard, 'almanac')

  sent.length = 0
  await upload.getByRole('button', { name: 'Dismiss' }).click()
  await drop(dashboard, folder, 'Drop to publish to almanac')
  const review = page.getByRole('dialog', { name: 'Publish to almanac?' })
  await review.getByText('500 files,').waitFor()
  assert.equal(await page.evaluate("document.activeElement.closest('dialog') !== null"), true)
  await review.getByRole('button', { name: 'Publish now' }).click()
  await upload.getByText(/^500 files, .* · all unchanged$/).waitFor()
  assert.deepEqual(sent, [])
  await assertAllServed(dashboard, 'almanac')
  assert.deepEqual(dashboard.faults, [])
})

test('choosing a folder of 500 files publishes it and shows the progress, also while a browser translates', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using dashboard = await visitInSharedBrowser()
  await using home = await temporaryFolder('masthead-choose')
  const { page } = dashboard
  const folder = join(home.path, 'Our Almanac')
  await makeSite(folder)
  // Hold back the files until the progress has been checked.
  const { promise: checked, resolve: go } = Promise.withResolvers<void>()
  await page.route('**/files', async (route) => {
    await checked
    await route.continue()
  })

  await translatePage(page)
  await page.getByLabel('Choose a folder').setInputFiles(folder)
  const dialog = page.getByRole('dialog', { name: 'New project' })
  await dialog.getByText('500 files,').waitFor()
  assert.equal(await dialog.getByLabel('Address').inputValue(), 'our-almanac')
  await dialog.getByRole('button', { name: 'Create and publish' }).click()

  const upload = page.getByRole('region', { name: 'Upload' })
  await upload.getByRole('heading', { name: 'Uploading files' }).waitFor()
  await upload.getByText(/^0 of 500 files, 0 B of /).waitFor()
  await upload.getByRole('list', { name: 'Files' }).getByText('Uploading').first().waitFor()
  // The upload continues on other pages.
  await page.getByRole('link', { name: 'Masthead', exact: true }).click()
  const row = page.getByRole('listitem').filter({ hasText: 'our-almanac' })
  await row.getByText(/^Publishing, \d+ %$/).waitFor()
  await page.getByRole('link', { name: 'Usage' }).click()
  const uploads = page.getByRole('list', { name: 'Uploads' })
  await uploads.getByText(/^0 of 500 files, 0 B of /).waitFor()
  assert.equal(await uploads.getByRole('progressbar').getAttribute('aria-valuenow'), '0')
  go()
  await uploads.getByText('Published', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Masthead', exact: true }).click()
  await row.getByText('Live', { exact: true }).waitFor()
  await row.getByText(/^500 files, .* published/).waitFor()
  await assertAllServed(dashboard, 'our-almanac')
  assert.deepEqual(dashboard.faults, [])
})

test('a folder for a live project can become a preview, and a cancelled upload leaves nothing', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using dashboard = await visitInSharedBrowser()
  await using home = await temporaryFolder('masthead-preview')
  const { page, call, masthead, browser } = dashboard
  const folder = join(home.path, 'almanac')
  await mkdir(folder)
  await writeFile(join(folder, 'index.html'), 'first')
  await page.getByLabel('Choose a folder').setInputFiles(folder)
  await page.getByRole('button', { name: 'Create and publish' }).click()
  const upload = page.getByRole('region', { name: 'Upload' })
  await upload.getByRole('heading', { name: 'Published' }).waitFor()
  // The field to choose a folder is rendered again once the page knows that the site is live.
  await page.getByRole('heading', { name: 'Publish a new version' }).waitFor()

  await writeFile(join(folder, 'index.html'), 'second')
  await page.getByLabel('Choose a folder').setInputFiles(folder)
  await page.getByRole('button', { name: 'Publish as preview' }).click()
  await upload.getByRole('heading', { name: 'Preview ready, not live' }).waitFor()
  const preview = await upload.getByRole('link', { name: 'Open preview' }).getAttribute('href')
  assert.match(preview ?? '', /--almanac\./)
  assert.equal((await visit(masthead, 'almanac', '/')).body, 'first')
  await upload.getByRole('button', { name: 'Make live' }).click()
  await page.getByText(/is live\.$/).waitFor()
  assert.equal((await visit(masthead, 'almanac', '/')).body, 'second')

  // Without an index page, the dashboard warns before going live.
  const bare = join(home.path, 'bare')
  await mkdir(bare)
  await writeFile(join(bare, 'notes.txt'), 'no front page')
  await page.getByLabel('Choose a folder').setInputFiles(bare)
  await page.getByRole('dialog').getByText('There is no index.html.').waitFor()
  await page.getByRole('button', { name: 'Publish as preview' }).click()
  await upload.getByRole('heading', { name: 'Preview ready, not live' }).waitFor()
  await upload.getByText(/index\.html/).waitFor()
  assert.equal((await visit(masthead, 'almanac', '/')).body, 'second')
  await upload.getByRole('button', { name: 'Dismiss' }).click()

  // Cancel while files are uploading.
  await page.route('**/files{,/*}', () => {})
  await writeFile(join(folder, 'index.html'), 'third')
  await page.getByLabel('Choose a folder').setInputFiles(folder)
  await page.getByRole('button', { name: 'Publish now' }).click()
  await upload.getByRole('heading', { name: 'Uploading files' }).waitFor()
  await upload.getByRole('button', { name: 'Cancel' }).click()
  await upload.getByRole('heading', { name: 'Cancelled' }).waitFor()
  const { items } = await call<{ items: { state: string }[] }>('GET /v1/projects/almanac/deployments')
  assert.deepEqual(
    items.map(({ state }) => state),
    ['ready', 'ready', 'ready'],
  )
  await page.unroute('**/files{,/*}')

  // The session ends before the upload, which continues after signing in.
  await browser.context.clearCookies()
  // Not by the pointer: a refresh may have found out before, and its dialog is in the way then.
  await upload.getByRole('button', { name: 'Start again' }).dispatchEvent('click')
  const again = page.getByRole('dialog', { name: 'Your session has ended' })
  await again.getByRole('textbox', { name: 'Password' }).fill(person.password)
  await again.getByRole('button', { name: 'Sign in', exact: true }).click()
  await again.waitFor({ state: 'detached' })
  await upload.getByText('Your session ended. Sign in, then try again.').waitFor()
  await upload.getByRole('button', { name: 'Try again' }).click()
  await upload.getByRole('heading', { name: 'Published' }).waitFor()
  assert.equal((await visit(masthead, 'almanac', '/')).body, 'third')
  assert.deepEqual(dashboard.faults, [])
})
