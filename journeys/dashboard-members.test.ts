import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page as Listed } from '@masthead/contract/schemas/fields.ts'
import type { Key } from '@masthead/contract/schemas/key.ts'
import type { CreatedInvitation, Invitation, Member } from '@masthead/contract/schemas/people.ts'
import { collectPageErrors, type DashboardVisit } from '@masthead/testing/clients/dashboard-visit.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import type { Page } from 'playwright-core'
import { visitInSharedBrowser } from './dashboard-visit.ts'

const options = { skip: skipWithout('chromium'), timeout: 300_000 } as const
const grace = { name: 'Grace Hopper', email: 'grace@example.com', password: 'correct horse battery' }

/** Grace's browser, in which she has joined as another owner. */
async function joinAsOwner(visit: DashboardVisit) {
  const { url } = await visit.call<CreatedInvitation>('POST /v1/invitations', {
    email: grace.email,
    role: 'owner',
  })
  const context = await visit.page.context().browser()?.newContext()
  assert.ok(context)
  const other = await context.newPage()
  collectPageErrors(other, visit.faults)
  await join(other, url)
  return { other, [Symbol.asyncDispose]: () => context.close() }
}

async function join(page: Page, link: string): Promise<void> {
  await page.goto(link)
  await page.getByLabel('Your name').fill(grace.name)
  await page.getByLabel('Password', { exact: true }).fill(grace.password)
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor()
}

/** A key that can do more than a developer. */
async function createKey(page: Page, name: string): Promise<void> {
  const status = await page.evaluate(async (key) => {
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify({ name: key, scopes: ['read', 'admin'] })
    return (await fetch('/v1/keys', { method: 'POST', headers, body })).status
  }, name)
  assert.equal(status, 201)
}

async function invite(page: Page): Promise<void> {
  const status = await page.evaluate(async () => {
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify({ email: 'newcomer@example.com', role: 'viewer' })
    return (await fetch('/v1/invitations', { method: 'POST', headers, body })).status
  })
  assert.equal(status, 201)
}

test('an owner is asked before a member gets a lower role, and can keep their keys', options, async () => {
  await using visit = await visitInSharedBrowser()
  const { page } = visit
  await using joined = await joinAsOwner(visit)
  await createKey(joined.other, 'nightly')
  const keys = async () => (await visit.call<Listed<Key>>('GET /v1/keys')).items.map(({ name }) => name)
  const roleOfGrace = async () =>
    (await visit.call<Listed<Member>>('GET /v1/members')).items.find(
      ({ person }) => person.email === grace.email,
    )?.role

  await visit.open('/members')
  const role = page.getByLabel(`Role of ${grace.name}`)
  const dialog = page.getByRole('dialog', { name: `Make ${grace.name} a developer?` })
  await role.selectOption('developer')
  await dialog.getByText('API keys they created').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal(await role.inputValue(), 'owner')
  assert.deepEqual([await roleOfGrace(), await keys()], ['owner', ['nightly']])

  await role.selectOption('developer')
  await dialog.getByLabel('Keep their keys').check()
  await dialog.getByRole('button', { name: 'Change role' }).click()
  await page.getByText(`${grace.name} is now a developer.`).waitFor()
  assert.deepEqual([await roleOfGrace(), await keys()], ['developer', ['nightly']])

  // Nothing of hers ends with this one, so it can be undone.
  const toViewer = page.getByRole('dialog', { name: `Make ${grace.name} a viewer?` })
  await role.selectOption('viewer')
  await toViewer.getByText('no longer be able to publish or change domains').waitFor()
  assert.equal(await roleOfGrace(), 'developer')
  await toViewer.getByRole('button', { name: 'Change role' }).click()
  await page.getByText(`${grace.name} is now a viewer.`).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
  assert.equal(await roleOfGrace(), 'developer')

  await role.selectOption('owner')
  await page.getByText(`${grace.name} is now an owner.`).waitFor()
  await createKey(joined.other, 'weekly')
  await role.selectOption('developer')
  await dialog.getByRole('button', { name: 'Change role' }).click()
  await page.getByText(`${grace.name} is now a developer, and 1 API key was revoked.`).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0)

  await role.selectOption('owner')
  await page.getByText(`${grace.name} is now an owner.`).waitFor()
  await invite(joined.other)
  await role.selectOption('developer')
  await dialog.getByRole('button', { name: 'Change role' }).click()
  await page.getByText(`${grace.name} is now a developer.`).waitFor()
  assert.deepEqual((await visit.call<Listed<Invitation>>('GET /v1/invitations')).items, [])
  assert.equal(
    await page.getByRole('button', { name: 'Undo' }).count(),
    0,
    'the invitation would stay revoked',
  )

  await page.getByRole('button', { name: 'Leave account' }).click()
  const leaving = page.getByRole('dialog')
  await leaving.getByText('ask another owner to remove you instead, and to keep them').waitFor()
  await leaving.getByRole('button', { name: 'Cancel' }).click()
  assert.deepEqual(await keys(), ['nightly'])
  assert.deepEqual(visit.faults, [])
})

test('a CLI login is revoked on the profile, by somebody who cannot see API keys', options, async () => {
  await using visit = await visitInSharedBrowser()
  const { page, masthead } = visit
  await using joined = await joinAsOwner(visit)
  const { other } = joined
  const members = await visit.call<Listed<Member>>('GET /v1/members')
  const id = members.items.find(({ person }) => person.email === grace.email)?.person.id
  await visit.call(`PATCH /v1/members/${id}`, { role: 'viewer' })
  const login = await visit.call<{ code: string; secret: string }>('POST /v1/logins', {
    client: 'lost laptop',
  })
  await other.goto(`${masthead.origin}/cli#${login.code}`)
  await other.getByRole('button', { name: 'Approve' }).click()
  await other.getByText('lost laptop can now act for you.').waitFor()
  const { secret } = await visit.call<{ secret: string }>('POST /v1/logins/claim', { secret: login.secret })
  const use = async () => {
    const headers = { Authorization: `Bearer ${secret}` }
    return (await fetch(`${masthead.origin}/v1/projects`, { headers })).status
  }
  assert.equal(await use(), 200)

  await other.goto(`${masthead.origin}/person`)
  await other.getByRole('table', { name: 'CLI logins' }).getByRole('row', { name: 'lost laptop' }).waitFor()
  await other.getByRole('button', { name: 'Revoke lost laptop' }).click()
  await other.getByRole('button', { name: 'Revoke login' }).click()
  await other.getByText('No CLI logins.').waitFor()
  assert.equal(await use(), 401)
  await visit.open('/activity?kind=key')
  await page.getByText('The API key lost laptop was revoked').waitFor()
  assert.deepEqual(visit.faults, [])
})

test('the operator gives an account a new owner, and the server a new operator', options, async () => {
  await using visit = await visitInSharedBrowser()
  const { page } = visit
  await visit.call('POST /v1/operator/accounts', { name: 'Harbour' })
  await visit.open('/operator')
  await page.getByRole('button', { name: 'Invite owner for Harbour' }).click()
  await page.getByLabel('Email').fill(grace.email)
  await page.getByRole('button', { name: 'Create link' }).click()
  const shown = page.getByRole('dialog', { name: `Send this link to ${grace.email}` })
  await shown.getByText('can join as an owner').waitFor()
  const link = await shown.getByRole('code').innerText()
  const context = await page.context().browser()?.newContext()
  assert.ok(context)
  const other = await context.newPage()
  await join(other, link)
  await other.getByRole('link', { name: 'Activity' }).click()
  const invited = other.getByRole('listitem').filter({ hasText: `${grace.email} was invited as an owner` })
  await invited.getByText('Ada Lovelace (operator)').waitFor()

  await visit.open('/operator/people')
  await page.getByRole('button', { name: `Make operator: ${grace.name}` }).click()
  await page.getByRole('button', { name: 'Make operator', exact: true }).click()
  await page.getByText(`${grace.name} is now an operator.`).waitFor()
  await other.goto(page.url())
  await other.getByRole('button', { name: 'End operator role: Ada Lovelace' }).click()
  await other.getByRole('button', { name: 'End role' }).click()
  await other.getByText('Ada Lovelace is no longer an operator.').waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await context.close()
  assert.deepEqual(visit.faults, [])
})
