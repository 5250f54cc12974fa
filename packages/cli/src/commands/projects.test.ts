import assert from 'node:assert/strict'
import { test } from 'node:test'
import { workplace } from '../../test/workplace.ts'

test('projects and deployments are listed in columns, or as JSON', async () => {
  await using place = await workplace()
  const site = place.server.addProject('site')
  place.server.addProject('another-site')
  const deployment = place.server.addDeployment(site, 'ready', true)

  const lines = (await place.run('projects')).stdout.split('\n')
  assert.match(lines[0] ?? '', /^another-site {2}http:\/\/another-site\.example {2}nothing published yet$/)
  assert.match(lines[1] ?? '', /^site {10}http:\/\/site\.example {10}live/)
  assert.equal(JSON.parse((await place.run('projects --json')).stdout)[1].slug, 'site')

  const listed = await place.run('deployments site')
  assert.match(listed.stdout, new RegExp(`^${deployment.id}  live  0 files  0 B  `))
  assert.equal(JSON.parse((await place.run('deployments -p site --json')).stdout)[0].id, deployment.id)
})

test('a list with nothing in it says what to do first, beside an empty result', async () => {
  await using place = await workplace()
  const { stdout, stderr } = await place.run('projects')
  assert.equal(stdout, '')
  assert.equal(stderr, 'No projects yet. Publish the first one: masthead deploy ./some-folder\n')
  assert.deepEqual(JSON.parse((await place.run('projects --json')).stdout), [])
})

test('a site that the operator took down is told with the reason', async () => {
  await using place = await workplace()
  const takedown = { since: '2030-01-01T00:00:00.000Z', reason: 'A court order.', status: 451 } as const
  Object.assign(place.server.addProject('site'), { takedown })
  assert.match((await place.run('projects')).stdout, /^site +http:\/\/site\.example +taken down \(451\)/)
  const opened = await place.run('open site')
  assert.equal(opened.stdout, 'http://site.example\n')
  assert.match(opened.stderr, /took this site down\. Visitors get 451 and this reason: A court order\./)
})

test('open prints the address of the project', async () => {
  await using place = await workplace()
  place.server.addProject('site')
  assert.equal((await place.run('open site')).stdout, 'http://site.example\n')
  place.server.addProject('shop').primaryUrl = 'https://shop.acme.com'
  const shop = await place.run('open shop')
  assert.equal(shop.stdout, 'https://shop.acme.com\n')
  assert.equal(shop.stderr, 'Its default subdomain is http://shop.example\n')
  assert.match((await place.run('projects')).stdout, /^shop +https:\/\/shop\.acme\.com /m)
  assert.equal((await place.run('open other')).exitCode, 1)
  assert.equal((await place.run('open ..')).exitCode, 2)
})
