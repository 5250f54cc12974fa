import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { serverForFile } from '../../test/test-server.ts'
import { workplaceWithSite } from '../../test/workplace.ts'

const server = serverForFile()
const siteWorkplace = () => workplaceWithSite(server())

test('records shows one domain or all of them, in the format asked for', async () => {
  await using place = await siteWorkplace()
  assert.match((await place.run('domains records')).stderr, /no custom domains yet/)
  await place.addDomain('www.acme.localhost')
  await place.addDomain('bücher.localhost')
  const bind = await place.run('domains records www.acme.localhost --format bind')
  assert.match(
    bind.stdout,
    /^\$ORIGIN acme\.localhost\.\nwww 3600 IN CNAME \S+\.cname\.masthead\.localhost\.\n$/,
  )
  const all = await place.run('domains records')
  assert.match(all.stdout, /^acme\.localhost\n {2}Type[\s\S]*\n\nxn--bcher-kva\.localhost\n {2}Type/)
  const message = await place.run('domains records --format message')
  assert.match(message.stdout, /^To point bücher\.localhost \(xn--bcher-kva\.localhost\) to our site/m)
  const wrong = await place.run('domains records --format bind9')
  assert.deepEqual([wrong.exitCode, wrong.stdout], [2, ''])
  assert.match(wrong.stderr, /table, message, bind, terraform/)
})

test('import shows what it would add, and adds it once', async () => {
  await using place = await siteWorkplace()
  await place.addDomain('www.acme.localhost')
  const file = join(place.path, 'vercel.json')
  await writeFile(file, JSON.stringify({ alias: ['www.acme.localhost', 'new.acme.localhost', 'localhost.'] }))
  const asked = await place.run(`domains import ${file}`)
  assert.notEqual(asked.exitCode, 0)
  assert.match(asked.stderr, /keep www\.acme\.localhost\n\+ add new\.acme\.localhost\n/)
  const names = async () =>
    (await place.client.listDomains({ params: { project: 'site' } })).items.map(({ hostname }) => hostname)
  assert.deepEqual(await names(), ['www.acme.localhost'])
  assert.equal((await place.run(`domains import ${file} --yes`)).exitCode, 0)
  assert.deepEqual(await names(), ['new.acme.localhost', 'www.acme.localhost'])
  assert.match((await place.run(`domains import ${file} --yes`)).stderr, /has all of them already/)
  await writeFile(file, JSON.stringify({ alias: ['co.uk', 'last.acme.localhost'] }))
  const partly = await place.run(`domains import ${file} --yes`)
  assert.equal(partly.exitCode, 1)
  assert.match(partly.stderr, /^co\.uk: /m)
  assert.ok((await names()).includes('last.acme.localhost'))
  assert.equal((await place.run('domains import nowhere.txt --yes')).exitCode, 1)
  const list = join(place.path, 'list.txt')
  await writeFile(list, '# ours\nshop\nshop.acme.localhost\n')
  const listed = await place.run(`domains import ${list} --yes`)
  assert.match(
    listed.stderr,
    /^Left out: line 2, "shop"\. A domain has a dot\.\n\+ add shop\.acme\.localhost\n/,
  )
  assert.ok((await names()).includes('shop.acme.localhost'))
  const { leftOut } = JSON.parse((await place.run(`domains import ${list} --yes --json`)).stdout)
  assert.deepEqual(leftOut, [{ text: 'shop', line: 2 }])
})

test('certificate refuses what the server refuses, and needs both files or --remove', async () => {
  await using place = await siteWorkplace()
  await place.addDomain('www.acme.localhost')
  const file = join(place.path, 'chain.pem')
  await writeFile(file, 'hello')
  const usage = await place.run(`domains certificate www.acme.localhost --chain ${file}`)
  assert.equal(usage.exitCode, 2)
  const refused = await place.run(`domains certificate www.acme.localhost --chain ${file} --key ${file}`)
  assert.equal(refused.exitCode, 1)
  assert.match(refused.stderr, /The chain contains no certificate in PEM/)
  const none = await place.run('domains certificate www.acme.localhost --remove')
  assert.match(none.stderr, /has no certificate of your own/)
})
