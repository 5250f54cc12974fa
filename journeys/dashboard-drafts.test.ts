import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { person } from '@masthead/testing/clients/dashboard-visit.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { visitInSharedBrowser } from './dashboard-visit.ts'

test('typed text survives the end of a session, and leaving a changed form asks first', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page, browser } = visit
  await visit.call('POST /v1/projects', { slug: 'handbook', name: 'Handbook' })
  await visit.open('/projects/handbook/settings')
  const name = page.getByLabel('Name')
  await name.fill('Our manual')

  // The session ends while someone is typing, in this tab and in another.
  const second = await browser.context.newPage()
  await second.goto(page.url())
  await second.getByLabel('Name').fill('Typed here too')
  await browser.context.clearCookies()
  for (const tab of [second, page]) {
    await tab.bringToFront()
    // By a key: the page may have noticed it already when the tab came to the front, and then the dialog covers Save.
    await tab.getByLabel('Name').press('Enter')
    await tab.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  }
  const again = page.getByRole('dialog', { name: 'Your session has ended' })
  await again.getByRole('textbox', { name: 'Password' }).and(page.locator(':focus')).waitFor()
  await again.getByText('Nothing you entered is lost.').waitFor()
  await page.keyboard.press('Escape')
  await again.getByRole('textbox', { name: 'Password' }).fill('wrong password')
  await again.getByRole('button', { name: 'Sign in', exact: true }).click()
  await again.getByText(/Wrong email or password|do not go together/).waitFor()
  await again.getByRole('textbox', { name: 'Password' }).fill(person.password)
  await again.getByRole('button', { name: 'Sign in', exact: true }).click()
  await again.waitFor({ state: 'detached' })
  assert.equal(await name.inputValue(), 'Our manual')
  await second.getByRole('dialog').waitFor({ state: 'detached' })
  assert.equal(await second.getByLabel('Name').inputValue(), 'Typed here too')
  await second.close()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved').waitFor()
  assert.equal((await visit.call<Project>('GET /v1/projects/handbook')).name, 'Our manual')

  // Leaving a saved form does not ask; leaving a changed one does, by a link or the back button.
  await page.getByRole('link', { name: 'Serving' }).click()
  await page.getByRole('heading', { name: 'Serving', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'General' }).click()
  await name.fill('Another name')
  const ask = page.getByRole('dialog', { name: 'Discard your changes?' })
  for (const leave of [() => page.getByRole('link', { name: 'Deployments' }).click(), () => page.goBack()]) {
    await leave()
    await ask.getByRole('button', { name: 'Keep editing' }).click()
    await ask.waitFor({ state: 'detached' })
    assert.equal(await name.inputValue(), 'Another name')
  }
  const asked = new Promise<string>((resolve) => {
    page.once('dialog', (dialog) => {
      resolve(dialog.type())
      void dialog.dismiss()
    })
  })
  await page.close({ runBeforeUnload: true })
  assert.equal(await asked, 'beforeunload')
  assert.equal(await name.inputValue(), 'Another name')
  // With the original text restored, there is nothing to lose.
  await name.fill('Our manual')
  await page.getByRole('link', { name: 'Deployments' }).click()
  await page.getByRole('heading', { name: 'Deployments', level: 1 }).waitFor()

  // A double click answers once.
  await page.goBack()
  await name.fill('Another name')
  await page.getByRole('link', { name: 'Activity' }).click()
  await ask.getByRole('button', { name: 'Discard' }).dblclick()
  await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor()
  assert.deepEqual(visit.faults, [])

  // Escape in a dialog may be a slip.
  await visit.open('/keys#new')
  const form = page.getByRole('dialog', { name: 'Create API key' })
  await form.getByLabel('Name').fill('nightly-build')
  await page.keyboard.press('Escape')
  await ask.getByRole('button', { name: 'Keep editing' }).click()
  assert.equal(await form.getByLabel('Name').inputValue(), 'nightly-build')
  await page.keyboard.press('Escape')
  await ask.getByRole('button', { name: 'Discard' }).click()
  await form.waitFor({ state: 'detached' })
  assert.deepEqual(visit.faults, [])
})

test('a dialog stays until what it sent is answered, so that a secret is shown', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page } = visit
  await page.clock.install()
  await visit.open('/keys#new')
  let answer = Promise.withResolvers<void>()
  await page.route('**/v1/keys*', async (route) => {
    if (route.request().method() !== 'GET') await answer.promise
    await route.continue()
  })
  const form = page.getByRole('dialog', { name: 'Create API key' })
  const cancel = form.getByRole('button', { name: 'Cancel' })
  const create = async (name: string) => {
    await form.getByLabel('Name').fill(name)
    await form.getByRole('button', { name: 'Create key' }).click()
    await form.getByRole('button', { name: 'Creating…' }).waitFor()
  }
  await create('nightly-build')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  await cancel.and(page.locator('[aria-disabled=true]')).click({ force: true })
  assert.ok(await form.isVisible())
  answer.resolve()
  await page
    .getByRole('dialog', { name: 'nightly-build is ready' })
    .getByRole('button', { name: 'Done' })
    .click()

  // The same while something is revoked.
  answer = Promise.withResolvers()
  await page.route('**/v1/keys/*', async (route) => {
    await answer.promise
    await route.abort()
  })
  await page.getByRole('button', { name: 'Revoke nightly-build' }).click()
  const confirmation = page.getByRole('dialog', { name: 'Revoke nightly-build?' })
  await page.evaluate(escapeOnceItSays('Revoking…'))
  await confirmation.getByRole('button', { name: 'Revoke key' }).click()
  await confirmation.getByRole('button', { name: 'Revoking…' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  assert.ok(await confirmation.isVisible())
  // An error makes Cancel work again, and so does an answer that does not come.
  answer.resolve()
  await confirmation.getByRole('alert').waitFor()
  await confirmation.getByRole('button', { name: 'Cancel' }).click()
  await confirmation.waitFor({ state: 'detached' })
  answer = Promise.withResolvers()
  await page.getByRole('button', { name: 'Create key' }).click()
  await create('never-answered')
  await page.clock.fastForward(20_000)
  await cancel.click()
  await form.waitFor({ state: 'detached' })
  answer.resolve()
})

test('code that cannot be loaded is reported where it is missing, and typed text stays', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page, browser } = visit
  await visit.call('POST /v1/projects', { slug: 'handbook', name: 'Handbook' })
  await visit.open('/projects/handbook/settings')
  const name = page.getByLabel('Name')
  await name.fill('Our manual')
  await browser.context.setOffline(true)
  await page.keyboard.press('Control+k')
  const reason = page.getByText('A part of the dashboard could not be loaded.')
  await reason.waitFor()
  assert.equal(await name.inputValue(), 'Our manual')
  await browser.context.setOffline(false)
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Find' }).waitFor()
  await page.keyboard.press('Escape')
  await name.fill('Handbook')

  const tab = (label: string) => page.getByRole('link', { name: label, exact: true })
  const title = (text: string) => page.getByRole('heading', { name: text, level: 1 })
  await browser.context.setOffline(true)
  await tab('Serving').click()
  await title('This page could not be loaded').waitFor()
  await page.goBack()
  await title('General').waitFor()
  await tab('Serving').click()
  await page.getByRole('main').getByRole('alert').waitFor()
  await browser.context.setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await title('Serving').waitFor()

  // An answer that fails can be asked for again, and keyboard users stay on the page.
  await page.route('**/v1/events*', (route) => route.abort())
  await tab('Activity').click()
  const retry = page.getByRole('button', { name: 'Try again' })
  await retry.focus()
  await page.unrouteAll()
  await page.keyboard.press('Enter')
  await page.getByText('was created').first().waitFor()
  await page.getByRole('main').and(page.locator(':focus')).waitFor()
  await visit.open('/projects/handbook/settings/serving')

  // After an update, the server no longer has the files of the version before.
  await page.route('**/assets/protection-*.js', (route) => route.fulfill({ status: 404 }))
  await tab('Protection').click()
  await page.getByText('Masthead was updated. Reload the page.').waitFor()
  await page.unroute('**/assets/protection-*.js')
  await page.getByRole('button', { name: 'Reload' }).click()
  await title('Protection').waitFor()
  await page.route('**/assets/find-dialog-*.js', (route) => route.fulfill({ status: 404 }))
  await page.keyboard.press('Control+k')
  await page.getByText('Masthead was updated. Reload the page.').waitFor()
  await page.unroute('**/assets/find-dialog-*.js')
  await page.getByRole('button', { name: 'Reload' }).click()
  await title('Protection').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Find' }).waitFor()
  assert.deepEqual(
    visit.faults.filter(
      (fault) => !/PartNotLoadedError|could not be loaded|dynamically imported/.test(fault),
    ),
    [],
  )
})

/** Presses Escape in the dialog at the moment in which it says this. */
const escapeOnceItSays = (words: string) => `
  new MutationObserver((changes, observer) => {
    const dialog = document.querySelector('dialog')
    if (!dialog?.textContent.includes(${JSON.stringify(words)})) return
    observer.disconnect()
    dialog.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }))
  }).observe(document.body, { subtree: true, childList: true, characterData: true })`
