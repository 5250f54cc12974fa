import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { problems } from '@masthead/contract/problems.ts'
import { approveLogins } from '../../test/approve-logins.ts'
import { noTerminal } from '../../test/run-masthead.ts'
import { serverForFile } from '../../test/test-server.ts'
import { createWorkplace, type Workplace } from '../../test/workplace.ts'

const server = serverForFile()
const workplace = (files: Record<string, string> = {}) => createWorkplace(server(), files)

const deploymentsOf = async ({ client }: Workplace, project: string) =>
  (await client.listDeployments({ params: { project } })).items

async function pathsOf({ client }: Workplace, project: string): Promise<string[]> {
  const active = (await client.getProject({ params: { project } })).activeDeployment
  assert.ok(active)
  const { items } = await client.listFiles({ params: { project, deployment: active.id } })
  return items.map(({ path }) => path)
}

/** Digests that were sent, alone or with others. The server keeps contents, so each test has its own. */
function uploads({ proxy }: Workplace): string[] {
  return proxy.requests.flatMap(({ name, params, body }) => {
    if (name === 'putFile') return [params.sha256 ?? '']
    if (name !== 'putFiles') return []
    return execFileSync('tar', ['-tf', '-'], { input: body, encoding: 'utf8' }).trim().split('\n')
  })
}

test('a folder is published and its address stands alone on standard output', async () => {
  await using place = await workplace({ 'some-folder/index.html': 'hi', 'some-folder/css/site.css': 'b {}' })
  const { exitCode, stdout, stderr } = await place.run('deploy ./some-folder')
  assert.equal(exitCode, 0, stderr)
  assert.equal(stdout, `${server().site('some-folder')}\n`)
  assert.match(stderr, /Created the project some-folder\./)
  assert.match(stderr, /Published some-folder: 2 files, 2 uploaded \(6 B\) in [\d.]+ s\n$/)
  const [deployment] = await deploymentsOf(place, 'some-folder')
  assert.equal(deployment?.active, true)
  assert.deepEqual(await pathsOf(place, 'some-folder'), ['/css/site.css', '/index.html'])
})

test('only files that the server lacks are uploaded, and equal ones once', async () => {
  await using place = await workplace({ 'site/index.html': '1', 'site/a.txt': 'same', 'site/b.txt': 'same' })
  assert.equal((await place.run('deploy site')).exitCode, 0)
  assert.equal(uploads(place).length, 2)

  await place.write('site/new.html', 'new')
  const again = await place.run('deploy site --json')
  assert.equal(uploads(place).length, 3)
  assert.equal(again.stderr, '')
  const [deployment] = await deploymentsOf(place, 'site')
  assert.deepEqual(JSON.parse(again.stdout), {
    project: 'site',
    deployment: deployment?.id,
    url: server().site('site'),
    primaryUrl: server().site('site'),
    files: 4,
    uploaded: 1,
    uploadedBytes: 3,
    skipped: 3,
    leftOut: [],
    diagnostics: [],
  })

  const unchanged = await place.run('deploy site')
  assert.equal(uploads(place).length, 3)
  assert.match(unchanged.stderr, /Published site: 4 files, nothing new in /)
})

test('the address of a primary domain that is served is the one to give to people', async () => {
  await using place = await workplace({ 'site/index.html': 'hi' })
  await place.addProject('site')
  await place.publish('site')
  await place.goLive(await place.addDomain('www.acme.localhost'))
  const domains = { primary: 'www.acme.localhost', redirects: [] }
  await place.client.putDomainConfig({ params: { project: 'site' }, body: { domains } })
  const [own, primary] = [server().site('site'), server().host('www.acme.localhost')]
  const { stdout, stderr } = await place.run('deploy site')
  assert.equal(stdout, `${primary}\n`)
  assert.match(stderr, new RegExp(`Published site.*\nDefault subdomain: ${own}\n$`))
  const { url, primaryUrl } = JSON.parse((await place.run('deploy site --json')).stdout)
  assert.deepEqual([url, primaryUrl], [own, primary])
  const preview = await place.run('deploy site --no-activate')
  assert.match(preview.stdout, /^http:\/\/\w+--site\.masthead\.localhost:\d+\n$/)
  assert.doesNotMatch(preview.stderr, /subdomain/)
})

test('a large file is sent whole', async () => {
  await using place = await workplace({ 'site/large.bin': 'x'.repeat(3 * 1024 ** 2) })
  const { exitCode, stderr } = await place.run('deploy site')
  assert.equal(exitCode, 0, stderr)
  const [deployment] = await deploymentsOf(place, 'site')
  assert.deepEqual([deployment?.files, deployment?.bytes], [1, 3 * 1024 ** 2])
  assert.deepEqual(
    place.proxy.requests.filter(({ name }) => name === 'putFile').map(({ body }) => body.length),
    [3 * 1024 ** 2],
  )
})

test('a preview leaves the live deployment alone and prints its own address', async () => {
  await using place = await workplace({ 'site/index.html': 'one' })
  await place.run('deploy site')
  await place.write('site/index.html', 'two')
  const { stdout } = await place.run('deploy site --no-activate')
  const [preview, live] = await deploymentsOf(place, 'site')
  assert.equal(stdout, `${preview?.url}\n`)
  assert.equal(preview?.active, false)
  assert.equal(live?.active, true)
})

test('what is to go live and not to go live is refused before anything is sent', async () => {
  await using place = await workplace({ 'site/index.html': 'hi' })
  const { exitCode, stderr } = await place.run('deploy site --activate --no-activate')
  assert.equal(exitCode, 2)
  assert.equal(stderr, '--activate and --no-activate exclude each other.\nKeep one of them.\n')
  assert.deepEqual(place.proxy.called, [])
})

test('masthead.json names project and folder, and is not published', async () => {
  await using place = await workplace({
    'masthead.json': '{ "project": "mine", "folder": "dist" }',
    'dist/index.html': 'hi',
    'other/masthead.json': '{ "project": "theirs" }',
    'other/page.html': 'ho',
  })
  assert.equal((await place.run('deploy')).stdout, `${server().site('mine')}\n`)
  assert.equal((await place.run('deploy other')).stdout, `${server().site('theirs')}\n`)
  assert.deepEqual(await pathsOf(place, 'theirs'), ['/page.html'])
  assert.equal((await place.run('deploy dist --project third')).stdout, `${server().site('third')}\n`)
})

test('a suggested name that somebody else has gets four characters, the same the next time', async () => {
  await using place = await workplace({ 'blog/index.html': 'hi' })
  const other = await server().newAccount()
  await other.client.createProject({ body: { slug: 'blog' } })
  await place.addProject('blog-2026')
  const first = await place.run('deploy blog')
  assert.match(first.stdout, /^http:\/\/blog-[a-z0-9]{4}\.masthead\.localhost:\d+\n$/)
  assert.match(first.stderr, /The name blog is taken on this server\. Your project is blog-/)
  assert.notEqual(first.stdout, `${server().site('blog-2026')}\n`)
  assert.equal((await place.run('deploy blog')).stdout, first.stdout)
})

test('a name that was asked for is not replaced by another', async () => {
  await using place = await workplace({ 'blog/index.html': 'hi' })
  const other = await server().newAccount()
  await other.client.createProject({ body: { slug: 'shop' } })
  const { exitCode, stderr } = await place.run('deploy blog --project shop')
  assert.equal(exitCode, 1)
  assert.match(stderr, /^[^\n]*\bshop is taken[^\n]*\n/)
  assert.ok(stderr.endsWith(`\n${problems.slug_taken.fix}\n`), stderr)
  assert.deepEqual((await place.client.listProjects()).items, [])
})

test('folders without a letter of a slug in their names do not share the project of their parent', async () => {
  await using place = await workplace({ 'sites/שלום/index.html': 'hi', 'sites/docs/index.html': 'hi' })
  const { exitCode, stderr } = await place.run('deploy sites/שלום')
  assert.equal(exitCode, 2)
  assert.equal(stderr, '"שלום" cannot be turned into a project name.\nChoose a name with --project SLUG.\n')
  assert.match((await place.run('deploy sites/docs')).stdout, /\/\/sites-docs\./)
})

test('two first deploys at once publish to one project, whether its name was asked for or not', async () => {
  await using place = await workplace({ 'twin/index.html': 'hi' })
  for (const [args, slug] of [
    ['deploy twin', 'twin'],
    ['deploy twin --project quad', 'quad'],
  ] as const) {
    // As if the other one had been faster by a moment.
    place.proxy.before.createProject = () => place.addProject(slug)
    const { exitCode, stdout, stderr } = await place.run(args)
    assert.equal(exitCode, 0, stderr)
    assert.equal(stdout, `${server().site(slug)}\n`)
    assert.doesNotMatch(stderr, /taken|Created/)
  }
  assert.equal((await place.client.listProjects()).items.length, 2)
})

test('files that the server lost before the end are sent once more', async () => {
  await using place = await workplace({ 'site/index.html': 'to be lost' })
  place.proxy.lost.push('putFile')
  const { exitCode, stderr } = await place.run('deploy site')
  assert.equal(exitCode, 0, stderr)
  assert.equal(uploads(place).length, 2)
  assert.equal(place.proxy.count('finalizeDeployment'), 2)
})

test('what was published although the answer got lost is reported as published', async () => {
  await using place = await workplace({ 'site/index.html': 'answered by nobody' })
  place.proxy.timedOut.push('finalizeDeployment')
  const live = await place.run('deploy site')
  assert.deepEqual([live.exitCode, live.stdout], [0, `${server().site('site')}\n`], live.stderr)
  assert.match(live.stderr, /Published site: 1 file, 1 uploaded/)
  const preview = await place.run('deploy site --no-activate')
  assert.equal(preview.exitCode, 0, preview.stderr)
  const [newest, first] = await deploymentsOf(place, 'site')
  assert.equal(preview.stdout, `${newest?.url}\n`)
  assert.deepEqual([newest?.active, first?.active], [false, true])
})

test('nobody is told of an interruption that nobody caused', async () => {
  await using place = await workplace({ 'site/index.html': 'answered by nobody' })
  place.proxy.timedOut.push('finalizeDeployment', 'getDeployment')
  const { exitCode, stderr } = await place.run('deploy site')
  assert.equal(exitCode, 1, stderr)
  assert.match(stderr, /status 524/)
  assert.doesNotMatch(stderr, /Interrupted/)
})

test('a file that changes meanwhile is named, and nothing goes live', async () => {
  await using place = await workplace({ 'site/index.html': 'before' })
  place.proxy.before.createDeployment = () => place.write('site/index.html', 'after!')
  const { exitCode, stdout, stderr } = await place.run('deploy site')
  assert.equal(exitCode, 1)
  assert.equal(stdout, '')
  assert.match(stderr, /index\.html changed while it was being published\./)
  assert.equal(place.proxy.count('finalizeDeployment'), 0)
})

test('a link out of the folder is refused by name before anything is sent', async () => {
  await using place = await workplace({ 'site/index.html': 'hi', 'secret.txt': 'secret' })
  await symlink('../secret.txt', join(place.path, 'site/notes.txt'))
  const { exitCode, stderr } = await place.run('deploy site')
  assert.equal(exitCode, 1)
  assert.match(stderr, /The link notes\.txt points outside the folder/)
  // Both are asked at once, and it may end before the second arrives.
  assert.deepEqual(new Set([...place.proxy.called, 'getProject']), new Set(['getServer', 'getProject']))
  assert.ok(place.proxy.called.length <= 2)
})

test('a folder that is not there, a file and an empty folder are each told apart', async () => {
  await using place = await workplace({ 'file.txt': 'hi', 'empty/.hidden': '' })
  const results = []
  for (const folder of ['nowhere', 'file.txt', 'empty']) {
    const { exitCode, stderr } = await place.run(`deploy ${folder}`)
    results.push([exitCode, /does not exist|not a folder|no files to publish/.exec(stderr)?.[0]])
  }
  assert.deepEqual(results, [
    [2, 'does not exist'],
    [2, 'not a folder'],
    [1, 'no files to publish'],
  ])
})

test('an empty variable publishes nothing, checks nothing and signs in nowhere', async () => {
  await using place = await workplace({ 'index.html': 'not to be published' })
  for (const command of ['deploy', 'rules check', 'login']) {
    // Ends with an empty argument.
    const { exitCode, stdout, stderr } = await place.run(`${command} `)
    assert.deepEqual([exitCode, stdout], [2, ''])
    assert.match(stderr, /^An argument of `masthead \w+` is empty\.\nCheck the variables in it/)
  }
  assert.deepEqual(place.proxy.called, [])
})

test('without a key and without a terminal deploy says how to sign in', async () => {
  await using place = await workplace({ 'site/index.html': 'hi' })
  const { exitCode, stdout, stderr } = await place.run('deploy site', { env: place.signedOut })
  assert.equal(exitCode, 3)
  assert.equal(stdout, '')
  assert.match(
    stderr,
    /You are not signed in to http.*\nRun `masthead login http:\S+`, or set MASTHEAD_KEY\./,
  )
})

test('at a terminal deploy has the person sign in first, shows progress and publishes', {
  skip: noTerminal,
}, async () => {
  await using place = await workplace({ 'welcome/index.html': 'hi' })
  const logins = await approveLogins(place)
  const { exitCode, stdout } = await place.atTerminal('deploy welcome', { env: place.signedOut })
  assert.equal(exitCode, 0, stdout)
  assert.match(stdout, new RegExp(`approve the code .*${logins.code}`))
  assert.match(stdout, /Uploading ┄+ {2}0\/1 file {2}0 B of 2 B/)
  assert.ok(stdout.endsWith(`${server().site('welcome')}\r\n`), stdout)
})

test('quiet leaves the address only', async () => {
  await using place = await workplace({ 'site/index.html': 'hi' })
  const { stdout, stderr } = await place.run('deploy site --quiet')
  assert.equal(stdout, `${server().site('site')}\n`)
  assert.equal(stderr, '')
})

test('a first deploy that fails says what becomes of the project that it created', async () => {
  await using place = await workplace({ 'first/index.html': 'hi', 'first/a\\b.txt': 'hi' })
  const { exitCode, stdout, stderr } = await place.run('deploy first')
  assert.deepEqual([exitCode, stdout], [1, ''])
  assert.match(
    stderr,
    /^Created the project first\.\n(?:.*\n)*first stays for the next deploy\. To remove it, run `masthead projects delete first`\.\nThe path "\/a\\b\.txt" contains a backslash\.\n/,
  )
  const again = await place.run('deploy first')
  assert.doesNotMatch(again.stderr, /stays/)
})

test('files that are not published are named', async () => {
  const hidden = { 'site/.env': 'x', 'site/.git/HEAD': 'x', 'site/docs/.DS_Store': 'x' }
  await using place = await workplace({
    'site/index.html': 'hi',
    'site/.well-known/a.txt': 'x',
    'site/docs/a.html': 'x',
    'site/masthead.json': '{}',
    ...hidden,
  })
  const { stderr } = await place.run('deploy site --project site')
  assert.match(stderr, /^Not published: \.env, \.git\/, docs\/\.DS_Store$/m)
  const { leftOut } = JSON.parse((await place.run('deploy site --project site --json')).stdout)
  assert.deepEqual(leftOut.sort(), ['/.env', '/.git/', '/docs/.DS_Store'])
})

const noFrontPage = 'There is no front page'

test('a missing front page is reported before anything is sent, and to programs too', async () => {
  await using place = await workplace({ 'site/about.html': 'about us' })
  const { exitCode, stderr } = await place.run('deploy site')
  assert.equal(exitCode, 0, stderr)
  assert.match(stderr, new RegExp(`${noFrontPage}.*\nUploading`))
  const quiet = await place.run('deploy site --quiet')
  assert.match(quiet.stderr, new RegExp(`^${noFrontPage}[^\n]*\n$`))
  const json = await place.run('deploy site --json')
  assert.equal(json.stderr, '')
  assert.equal(JSON.parse(json.stdout).diagnostics[0].file, '/index.html')
})

test('at a terminal a person decides whether a site without a front page goes live', {
  skip: noTerminal,
}, async () => {
  await using place = await workplace({ 'site/about.html': 'hi' })
  const no = await place.atTerminal('deploy site', { input: 'n\n' })
  assert.equal(no.exitCode, 1, no.stdout)
  assert.match(
    no.stdout,
    new RegExp(`${noFrontPage}[\\s\\S]*Publish it anyway\\? \\[y/N\\][\\s\\S]*Nothing was published\\.`),
  )
  assert.deepEqual(await deploymentsOf(place, 'site'), [])
  const yes = await place.atTerminal('deploy site', { input: 'y\n' })
  assert.equal(yes.exitCode, 0, yes.stdout)
  const unasked = await place.atTerminal('deploy site --yes')
  assert.equal(unasked.exitCode, 0, unasked.stdout)
  const preview = await place.atTerminal('deploy site --no-activate')
  assert.doesNotMatch(preview.stdout, /anyway/)
  assert.equal((await deploymentsOf(place, 'site')).length, 3)
})
