import assert from 'node:assert/strict'
import { tarGz } from '../../deployments/archive/tar.test-kit.ts'
import type { ApiUnderTest, Caller } from '../api.test-kit.ts'

/** Creates a project and publishes one page: two requests. */
export async function publish(api: ApiUnderTest, caller: Caller, slug: string): Promise<void> {
  await api.send('POST /v1/projects', caller, { json: { slug } })
  const body = new Uint8Array(tarGz({ name: 'index.html', content: slug }))
  const headers = { 'Content-Type': 'application/gzip' }
  const sent = await api.send(`POST /v1/projects/${slug}/deployments`, caller, { headers, body })
  assert.equal(sent.status, 201, sent.text)
}
