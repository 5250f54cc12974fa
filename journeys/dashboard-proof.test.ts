import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Proof } from '@masthead/contract/schemas/domains/proof.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { visitInSharedBrowser } from './dashboard-visit.ts'

test('a domain is proved in the dashboard with one record, and the proof can be given up', {
  skip: skipWithout('chromium'),
  timeout: 300_000,
}, async () => {
  await using visit = await visitInSharedBrowser()
  const { page, call } = visit
  await call('PUT /v1/account/plan', { plan: 'pro' })
  await page.getByRole('link', { name: 'Proved domains' }).click()
  await page.getByText('No proved domains yet').waitFor()
  await page.getByRole('button', { name: 'Prove domain' }).click()
  const form = page.getByRole('dialog', { name: 'Prove domain' })
  await form.getByLabel('Domain').fill('com')
  await form.getByRole('button', { name: 'Show the record' }).click()
  await form.getByText(/single label/).waitFor()
  await form.getByLabel('Domain').fill('https://Acme.localhost/')
  await form.getByRole('button', { name: 'Show the record' }).click()
  await page.getByRole('heading', { name: 'acme.localhost' }).waitFor()
  await page.getByText('Waiting for DNS').waitFor()
  const { items } = await call<{ items: Proof[] }>('GET /v1/proofs')
  const record = items[0]?.record ?? assert.fail('There is no proof')
  await page.getByText(record.value, { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText('The record is not there yet.').waitFor()
  await page.getByText(/has no TXT record; it should have/).waitFor()

  await call(`PUT /v1/lab/records/${record.fqdn}/TXT`, { values: [record.value] })
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText('acme.localhost is proved.').waitFor()
  await page.getByText('Proved', { exact: true }).first().waitFor()

  await page.getByRole('button', { name: 'Remove' }).click()
  const question = page.getByRole('dialog', { name: 'Remove the proof of acme.localhost?' })
  await question.getByRole('button', { name: 'Remove proof' }).click()
  await page.getByText('No proved domains yet').waitFor()
  assert.deepEqual((await call<{ items: Proof[] }>('GET /v1/proofs')).items, [])
})
