import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectPageErrors, type DashboardVisit, person } from '@masthead/testing/clients/dashboard-visit.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import type { Page } from 'playwright-core'
import { visitInSharedBrowser } from './dashboard-visit.ts'

const options = { skip: skipWithout('chromium'), timeout: 300_000 } as const
const grace = { name: 'Grace Hopper', email: 'grace@example.com', password: 'correct horse battery' }
const better = 'staple ladder orchid'

async function anotherBrowser({ page, faults }: DashboardVisit) {
  const context = await page.context().browser()?.newContext()
  assert.ok(context)
  const other = await context.newPage()
  collectPageErrors(other, faults)
  return { other, [Symbol.asyncDispose]: () => context.close() }
}

async function signIn(page: Page, origin: string, { email, password }: { email: string; password: string }) {
  await page.goto(`${origin}/sign-in`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Invites Grace as the owner and returns the link. */
async function invite(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'Members', exact: true }).click()
  await page.getByRole('button', { name: 'Invite member' }).click()
  const form = page.getByRole('dialog', { name: 'Invite member' })
  await form.getByLabel('Email').fill(grace.email)
  await form.getByRole('button', { name: 'Create link' }).click()
  return linkOf(page)
}

async function linkOf(page: Page): Promise<string> {
  const shown = page.getByRole('dialog', { name: `Send this link to ${grace.email}` })
  const link = await shown.getByRole('code').innerText()
  await shown.getByRole('button', { name: 'Done' }).click()
  return link
}

async function joinAsNew(page: Page, link: string) {
  await page.goto(link)
  await page.getByLabel('Your name').fill(grace.name)
  await page.getByLabel('Password', { exact: true }).fill(grace.password)
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor()
}

test(
  'a person removed from their only account sees what to do, and returns by an invitation',
  options,
  async () => {
    await using visit = await visitInSharedBrowser()
    const { page, masthead } = visit
    await using second = await anotherBrowser(visit)
    const { other } = second
    const link = await invite(page)
    await page.goto(link)
    await page.getByText(`You are signed in as ${person.email}. Joining creates a login for`).waitFor()
    await joinAsNew(other, link)

    // The link is used up now, and leads on.
    await other.goto(masthead.origin)
    await other.goto(link)
    await other.getByText('This invitation was used or revoked, or has expired.').waitFor()
    await other.getByText(`You are signed in as ${grace.email}.`).waitFor()
    await other.getByRole('link', { name: 'Open the dashboard' }).click()
    await other.getByRole('heading', { name: 'Projects', level: 1 }).waitFor()
    await using third = await anotherBrowser(visit)
    await third.other.goto(link)
    await third.other.getByText('Ask the person who invited you for a new one.').waitFor()
    assert.equal(await third.other.getByText('restart').count(), 0)
    await third.other.getByRole('link', { name: 'Sign in' }).click()
    await third.other.getByRole('heading', { name: 'Sign in' }).waitFor()

    await page.goto(masthead.origin)
    await page.getByRole('link', { name: 'Members', exact: true }).click()
    await page.getByRole('button', { name: `Remove ${grace.name}` }).click()
    const removal = page.getByRole('dialog')
    await removal
      .getByText('Passwords of protected sites stay as they are: change those they know.')
      .waitFor()
    await removal.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('row', { name: grace.email }).waitFor({ state: 'detached' })
    await other.goto(masthead.origin)
    await other.getByRole('heading', { name: 'You are not a member of any account' }).waitFor()
    await other.getByRole('button', { name: 'Sign out' }).click()
    await other.getByRole('heading', { name: 'Sign in' }).waitFor()

    await page.reload()
    const again = await invite(page)
    await signIn(other, masthead.origin, grace)
    await other.getByRole('heading', { name: 'You are not a member of any account' }).waitFor()
    await other.goto(again)
    await other.getByRole('button', { name: 'Join' }).click()
    await other.getByRole('heading', { name: 'Projects', level: 1 }).waitFor()

    // Then she leaves the account herself.
    await other.goto(`${masthead.origin}/person`)
    await other.getByRole('button', { name: /^Leave / }).click()
    await other.getByRole('button', { name: 'Leave account' }).click()
    await other.getByRole('heading', { name: 'You are not a member of any account' }).waitFor()
  },
)

test(
  'a changed password ends the other sessions, and a link from an owner replaces a forgotten one',
  options,
  async () => {
    await using visit = await visitInSharedBrowser()
    const { page, masthead } = visit
    await using second = await anotherBrowser(visit)
    await using third = await anotherBrowser(visit)
    const { other } = second
    await joinAsNew(other, await invite(page))
    await signIn(third.other, masthead.origin, grace)
    await third.other.getByRole('heading', { name: 'Projects', level: 1 }).waitFor()

    await other.goto(`${masthead.origin}/person`)
    const sessions = other.getByRole('table', { name: 'Sessions' })
    await sessions.getByRole('row').nth(2).waitFor()
    await sessions.getByText('This session').waitFor()
    await sessions
      .getByText(/Chrome on/)
      .first()
      .waitFor()
    const form = other.locator('section', { hasText: 'Changing it signs you out everywhere else.' })
    await form.getByLabel('Current password', { exact: true }).fill('not the password')
    await form.getByLabel('New password', { exact: true }).fill(better)
    await form.getByRole('button', { name: 'Change password' }).click()
    await form.getByText('Is not your current password.').waitFor()
    await form.getByLabel('Current password', { exact: true }).fill(grace.password)
    await form.getByRole('button', { name: 'Change password' }).click()
    await other.getByText('Your password was changed. 1 other session ended.').waitFor()
    await third.other.reload()
    await third.other.getByRole('heading', { name: 'Sign in' }).waitFor()

    await page.reload()
    await page.getByRole('button', { name: `Reset ${grace.name}'s password` }).click()
    await page.getByRole('button', { name: 'Create link' }).click()
    const link = await linkOf(page)
    assert.match(link, /\/reset-password#/)
    await third.other.goto(link)
    await third.other.getByLabel('Password', { exact: true }).fill('velvet quarry nimbus')
    await third.other.getByRole('button', { name: 'Set password and sign in' }).click()
    await third.other.getByRole('heading', { name: 'Projects', level: 1 }).waitFor()
    await other.reload()
    await other.getByRole('heading', { name: 'Sign in' }).waitFor()
    await other.goto(link)
    await other.getByText('This link was used').waitFor()
  },
)
