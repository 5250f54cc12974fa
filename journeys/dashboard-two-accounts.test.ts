import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Client, createClient } from '@masthead/client/client.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Session } from '@masthead/contract/schemas/people.ts'
import { collectPageErrors, type DashboardVisit, person } from '@masthead/testing/clients/dashboard-visit.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import type { Page } from 'playwright-core'
import { visitInSharedBrowser } from './dashboard-visit.ts'
import { createAccount } from './tenant.ts'

interface Accounts {
  /** Where Ada is the owner. */
  acme: Id<'account'>
  /** Where she is a developer. */
  globex: Id<'account'>
  /** The API with keys of both accounts. */
  inAcme: Client
  inGlobex: Client
}

async function twoAccounts({ masthead, call, browser }: DashboardVisit): Promise<Accounts> {
  await call('PATCH /v1/account', { name: 'Acme' })
  const { accounts } = await call<Session>('GET /v1/session')
  const [account] = accounts
  assert.ok(account)
  const key = await call<{ secret: string }>('POST /v1/keys', {
    name: 'test',
    scopes: ['read', 'admin', 'deploy'],
  })
  const other = await createAccount(masthead, 'pro')
  const inGlobex = createClient({ server: masthead.origin, key: other.key.secret })
  await inGlobex.renameAccount({ body: { name: 'Globex' } })
  const { url } = await inGlobex.createInvitation({ body: { email: person.email, role: 'developer' } })
  const joining = await browser.context.newPage()
  await joining.goto(url)
  await joining.getByRole('button', { name: 'Join' }).click()
  await joining.getByRole('heading', { name: 'Projects', level: 1 }).waitFor()
  await joining.close()
  return {
    acme: account.id,
    globex: other.id,
    inAcme: createClient({ server: masthead.origin, key: key.secret }),
    inGlobex,
  }
}

/** Checks the account at the top of the page and in its URL. */
async function assertIn(page: Page, name: string, path: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: `Account: ${name}` }).waitFor()
  await page.waitForURL((url) => (typeof path === 'string' ? url.pathname === path : path.test(url.pathname)))
}

async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^Account: / }).click()
  await page.getByRole('link', { name: new RegExp(`^${name}`) }).click()
  await page.getByRole('button', { name: `Account: ${name}` }).waitFor()
}

/** Records the API requests of a page with the account they name. */
function listen(page: Page): { route: string; account: string | null }[] {
  const sent: { route: string; account: string | null }[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (!pathname.startsWith('/v1/')) return
    const account = request.headers()['masthead-account'] ?? searchParams.get('account')
    sent.push({ route: `${request.method()} ${pathname}`, account })
  })
  return sent
}

/** Requests about the person or the server, or that find the account of a project. */
const withoutAccount = /^(GET|PATCH) \/v1\/session$|^GET \/v1\/(server|projects\/[^/]+)$/

test('a tab acts in the account of its URL, whatever another tab opens', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { browser, masthead, faults } = visit
  const { acme, globex, inAcme, inGlobex } = await twoAccounts(visit)
  await inAcme.createProject({ body: { slug: 'handbook', name: 'Handbook' } })
  await inGlobex.createProject({ body: { slug: 'rockets', name: 'Rockets' } })
  const first = visit.page
  const second = await browser.context.newPage()
  collectPageErrors(second, faults)

  await first.goto(`${masthead.origin}/accounts/${acme}/keys`)
  await assertIn(first, 'Acme', `/accounts/${acme}/keys`)
  const sent = listen(first)
  await second.goto(masthead.origin)
  await open(second, 'Globex')
  await assertIn(second, 'Globex', `/accounts/${globex}`)
  await second.getByRole('link', { name: 'Rockets', exact: true }).waitFor()

  // The first tab still creates its key in the account it shows.
  await first.getByRole('button', { name: 'Create key' }).click()
  const form = first.getByRole('dialog', { name: 'Create API key' })
  await form.getByLabel('Name').fill('nightly-build')
  await form.getByRole('button', { name: 'Create key' }).click()
  await first
    .getByRole('dialog', { name: 'nightly-build is ready' })
    .getByRole('button', { name: 'Done' })
    .click()
  const names = async (client: Client) => (await client.listKeys({ query: {} })).items.map(({ name }) => name)
  assert.ok((await names(inAcme)).includes('nightly-build'))
  assert.ok(!(await names(inGlobex)).includes('nightly-build'))

  // The same holds for its lists, its stream, its search and its uploads.
  await first.getByRole('link', { name: 'Projects' }).click()
  await first.getByRole('link', { name: 'Handbook', exact: true }).waitFor()
  await inGlobex.createProject({ body: { slug: 'satellites', name: 'Satellites' } })
  await inAcme.createProject({ body: { slug: 'almanac', name: 'Almanac' } })
  await first.getByRole('link', { name: 'Almanac', exact: true }).waitFor()
  await second.getByRole('link', { name: 'Satellites', exact: true }).waitFor()
  assert.equal(await first.getByRole('link', { name: 'Satellites' }).count(), 0)
  assert.equal(await second.getByRole('link', { name: 'Almanac' }).count(), 0)
  await first.getByRole('button', { name: /^Find/ }).click()
  await first.getByRole('combobox').fill('a')
  await first
    .getByRole('option', { name: /^Almanac/ })
    .first()
    .waitFor()
  assert.equal(await first.getByRole('option', { name: /Satellites|Rockets/ }).count(), 0)
  await first.keyboard.press('Escape')

  await first.getByRole('link', { name: 'New project' }).click()
  await assertIn(first, 'Acme', `/accounts/${acme}/new`)
  // The previous page has such a field too.
  await first.getByRole('heading', { name: 'New project', level: 1 }).waitFor()
  const archive = Buffer.from(
    tarGz({ 'index.html': '<!doctype html><title>Gazette</title><h1>Gazette</h1>' }),
  )
  await first
    .locator('input[type=file]:not([webkitdirectory])')
    .setInputFiles({ name: 'gazette.tar.gz', mimeType: 'application/gzip', buffer: archive })
  await first.getByRole('button', { name: 'Create and publish' }).click()
  await assertIn(first, 'Acme', '/projects/gazette')
  await first.getByText('Live', { exact: true }).first().waitFor()
  const gazette = await inAcme.getProject({ params: { project: 'gazette' } })
  assert.deepEqual([gazette.accountId, gazette.activeDeployment?.state], [acme, 'ready'])
  const unnamed = sent.filter(({ route, account }) => account !== acme && !withoutAccount.test(route))
  assert.deepEqual(unnamed, [])
  assert.deepEqual(
    sent.filter(({ account }) => account !== null && account !== acme),
    [],
  )

  // A link to a project works whichever account was open, and shows the account of the project.
  await second.goto(`${masthead.origin}/projects/handbook/settings`)
  await assertIn(second, 'Acme', '/projects/handbook/settings')
  await second.goto(`${masthead.origin}/projects/rockets`)
  await assertIn(second, 'Globex', '/projects/rockets')

  // Old URLs redirect to the account opened last, with query and fragment.
  await second.goto(`${masthead.origin}/activity?kind=project`)
  await assertIn(second, 'Globex', `/accounts/${globex}/activity`)
  assert.equal(new URL(second.url()).search, '?kind=project')
  await second.goto(`${masthead.origin}/plan`)
  await assertIn(second, 'Globex', `/accounts/${globex}/plan`)

  // An unknown account, or one the person no longer belongs to, shows nothing.
  await second.goto(`${masthead.origin}/accounts/acc_06d8f2k4m9q1s7x3b5n0/keys`)
  await second.getByRole('heading', { name: 'Page not found' }).waitFor()
  await second.goto(`${masthead.origin}/accounts/${globex}`)
  await second.getByRole('link', { name: 'Rockets', exact: true }).waitFor()
  const { items } = await inGlobex.listMembers({ query: {} })
  const ada = items.find((member) => member.person.email === person.email)
  assert.ok(ada)
  await inGlobex.removeMember({ params: { person: ada.person.id } })
  await second.getByRole('heading', { name: 'Page not found' }).waitFor()
  await first.reload()
  await first.getByRole('link', { name: 'Acme' }).waitFor()
  assert.deepEqual(faults, [])
})
