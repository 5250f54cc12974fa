import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { visitInSharedBrowser } from './dashboard-visit.ts'

/** Runs a command from the page in a shell and returns the status that curl got. */
async function statusOf(line: string): Promise<number> {
  const command = `${line} --silent --noproxy '*' --write-out '\n%{http_code}'`
  const { stdout } = await promisify(execFile)('sh', ['-c', command])
  return Number(stdout.slice(stdout.lastIndexOf('\n')))
}

test('a key created in the dashboard works in the command it shows, until it is revoked', {
  skip: skipWithout('chromium', 'curl'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page, masthead } = visit
  await visit.browser.context.grantPermissions(['clipboard-read', 'clipboard-write'], {
    origin: masthead.origin,
  })
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByText('No keys yet').waitFor()

  await page.getByRole('button', { name: 'Create key' }).click()
  const form = page.getByRole('dialog', { name: 'Create API key' })
  await form.getByLabel('Name').fill('nightly-build')
  await form.getByRole('checkbox', { name: 'domains' }).uncheck()
  await form.getByLabel('Expires').selectOption({ label: 'In 90 days' })
  await form.getByRole('button', { name: 'Create key' }).click()

  const shown = page.getByRole('dialog', { name: 'nightly-build is ready' })
  await shown.getByRole('button', { name: 'Copy the command' }).click()
  await shown.getByText('Copied').filter({ visible: true }).first().waitFor()
  const line = await page.evaluate<string>('navigator.clipboard.readText()')
  assert.match(line, /^curl /)
  assert.ok((await shown.innerText()).includes(line), 'the copied text is the shown text')
  const secret = await shown.getByRole('code').first().innerText()
  assert.equal(await statusOf(line), 200)

  // Escape may be a slip, and the secret is never shown again.
  await page.keyboard.press('Escape')
  await shown.getByText("This won't be shown again.").waitFor()
  await shown.getByRole('button', { name: 'Done' }).click()
  await shown.waitFor({ state: 'detached' })
  const row = page.getByRole('table', { name: 'API keys' }).getByRole('row', { name: 'nightly-build' })
  await row.getByText('Active').waitFor()
  await row.getByText('read, deploy', { exact: true }).waitFor()
  await page.reload()
  await row.getByText('just now').first().waitFor()
  assert.ok(!(await page.content()).includes(secret))

  await row.getByRole('button', { name: 'Revoke nightly-build' }).click()
  const confirmation = page.getByRole('dialog', { name: 'Revoke nightly-build?' })
  await confirmation.getByRole('button', { name: 'Revoke key' }).click()
  await page.getByText('nightly-build was revoked.').waitFor()
  await page.getByText('No keys yet').waitFor()
  assert.equal(await statusOf(line), 401)
  assert.deepEqual(visit.faults, [])
})
