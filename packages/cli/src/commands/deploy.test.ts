import assert from 'node:assert/strict'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { noTerminal } from '../../test/run-masthead.ts'
import { Refusal } from '../../test/stand-in-server.ts'
import { workplace } from '../../test/workplace.ts'

test('a folder is published and its address stands alone on standard output', async () => {
  await using place = await workplace({ 'some-folder/index.html': 'hi', 'some-folder/css/site.css': 'b {}' })
  const { exitCode, stdout, stderr } = await place.run('deploy ./some-folder')
  assert.equal(exitCode, 0, stderr)
  assert.equal(stdout, 'http://some-folder.example\n')
  assert.match(stderr, /Created the project some-folder\./)
  assert.match(stderr, /Published some-folder: 2 files, 2 uploaded \(6 B\) in [\d.]+ s\n$/)
  const [deployment] = place.server.deployments
  assert.equal(deployment?.active, true)
  assert.deepEqual(Object.keys(place.server.manifests.get(deployment?.id ?? '') ?? {}), [
    '/css/site.css',
    '/index.html',
  ])
})

test('only files that the server lacks are uploaded, and equal ones once', async () => {
  await using place = await workplace({ 'site/index.html': 'hi', 'site/a.txt': 'same', 'site/b.txt': 'same' })
  assert.equal((await place.run('deploy site')).exitCode, 0)
  assert.equal(place.server.uploads.length, 2)

  await place.write('site/new.html', 'new')
  const again = await place.run('deploy site --json')
  assert.equal(place.server.uploads.length, 3)
  assert.equal(again.stderr, '')
  const [deployment] = place.server.deployments
  assert.deepEqual(JSON.parse(again.stdout), {
    project: 'site',
    deployment: deployment?.id,
    url: 'http://site.example',
    primaryUrl: 'http://site.example',
    files: 4,
    uploaded: 1,
    uploadedBytes: 3,
    skipped: 3,
    leftOut: [],
    diagnostics: [],
  })

  const unchanged = await place.run('deploy site')
  assert.equal(place.server.uploads.length, 3)
  assert.match(unchanged.stderr, /Published site: 4 files, nothing new in /)
})

test('the address of a primary domain that is served is the one to give to people', async () => {
  await using place = await workplace({ 'site/index.html': 'hi' })
  place.server.addProject('site').primaryUrl = 'https://www.acme.com'
  const { stdout, stderr } = await place.run('deploy site')
  assert.equal(stdout, 'https://www.acme.com\n')
  assert.match(stderr, /Published site.*\nIts default subdomain is http:\/\/site\.example\n$/)
  const { url, primaryUrl } = JSON.parse((await place.run('deploy site --json')).stdout)
  assert.deepEqual([url, primaryUrl], ['http://site.example', 'https://www.acme.com'])
  const preview = await place.run('deploy site --no-activate')
  assert.match(preview.stdout, /^http:\/\/site\.example\/dpl_\d+\n$/)
  assert.doesNotMatch(preview.stderr, /subdomain/)
})

test('a large file is sent whole', async () => {
  await using place = await workplace({ 'site/large.bin': 'x'.repeat(3 * 1024 ** 2) })
  const { exitCode, stderr } = await place.run('deploy site')
  assert.equal(exitCode, 0, stderr)
  assert.deepEqual(
    [...place.server.blobs.values()].map((blob) => blob.length),
    [3 * 1024 ** 2],
  )
})

test('a preview leaves the live deployment alone and prints its own address', async () => {
  await using place = await workplace({ 'site/index.html': 'one' })
  await place.run('deploy site')
  const [live] = place.server.deployments
  await place.write('site/index.html', 'two')
  const { stdout } = await place.run('deploy site --no-activate')
  const [preview] = place.server.deployments
  assert.equal(stdout, `${preview?.url}\n`)
  assert.equal(preview?.active, false)
  assert.equal(live?.active, true)
})

test('masthead.json names project and folder, and is not published', async () => {
  await using place = await workplace({
    'masthead.json': '{ "project": "mine", "folder": "dist" }',
    'dist/index.html': 'hi',
    'other/masthead.json': '{ "project": "theirs" }',
    'other/page.html': 'ho',
  })
  assert.equal((await place.run('deploy')).stdout, 'http://mine.example\n')
  assert.equal((await place.run('deploy other')).stdout, 'http://theirs.example\n')
  const [other] = place.server.deployments
  assert.deepEqual(Object.keys(place.server.manifests.get(other?.id ?? '') ?? {}), ['/page.html'])
  assert.equal((await place.run('deploy dist --project third')).stdout, 'http://third.example\n')
})

test('a suggested name that somebody else has gets four characters, the same the next time', async () => {
  await using place = await workplace({ 'blog/index.html': 'hi' })
  place.server.taken.add('blog')
  place.server.addProject('blog-2026')
  const first = await place.run('deploy blog')
  assert.match(first.stdout, /^http:\/\/blog-[a-z0-9]{4}\.example\n$/)
  assert.match(first.stderr, /The name blog is taken on this server\. Yours is blog-/)
  assert.notEqual(first.stdout, 'http://blog-2026.example\n')
  assert.equal((await place.run('deploy blog')).stdout, first.stdout)
})

test('a name that was asked for is not replaced by another', async () => {
  await using place = await workplace({ 'blog/index.html': 'hi' })
  place.server.taken.add('shop')
  const { exitCode, stderr } = await place.run('deploy blog --project shop')
  assert.equal(exitCode, 1)
  assert.match(
    stderr,
    /The slug shop is taken\.\nSlugs are shared by everyone on this server\. Choose another\./,
  )
  assert.equal(place.server.projects.size, 0)
})

test('files that the server lost before the end are sent once more', async () => {
  await using place = await workplace({ 'site/index.html': 'hi' })
  let lost = false
  const { finalizeDeployment } = place.server.answerers
  place.server.instead.finalizeDeployment = (call) => {
    if (!lost) place.server.blobs.clear()
    lost = true
    return finalizeDeployment?.(call)
  }
  const { exitCode, stderr } = await place.run('deploy site')
  assert.equal(exitCode, 0, stderr)
  assert.equal(place.server.uploads.length, 2)
})

test('a file that changes meanwhile is named, and nothing goes live', async () => {
  await using place = await workplace({ 'site/index.html': 'hi' })
  place.server.instead.putFile = () => {
    throw new Refusal('digest_mismatch', 'The content is another.')
  }
  const { exitCode, stdout, stderr } = await place.run('deploy site')
  assert.equal(exitCode, 1)
  assert.equal(stdout, '')
  assert.match(stderr, /index\.html changed while it was being published\./)
  assert.equal(place.server.count('finalizeDeployment'), 0)
})

test('a link out of the folder is refused by name before anything is sent', async () => {
  await using place = await workplace({ 'site/index.html': 'hi', 'secret.txt': 'secret' })
  await symlink('../secret.txt', join(place.path, 'site/notes.txt'))
  const { exitCode, stderr } = await place.run('deploy site')
  assert.equal(exitCode, 1)
  assert.match(stderr, /The link notes\.txt leads out of the folder/)
  assert.deepEqual(place.server.asked, ['getServer'])
})

test('a folder that is not there, a file and an empty folder are each told apart', async () => {
  await using place = await workplace({ 'file.txt': 'hi', 'empty/.hidden': '' })
  const results = []
  for (const folder of ['nowhere', 'file.txt', 'empty']) {
    const { exitCode, stderr } = await place.run(`deploy ${folder}`)
    results.push([exitCode, /not there|not a folder|no files to publish/.exec(stderr)?.[0]])
  }
  assert.deepEqual(results, [
    [2, 'not there'],
    [2, 'not a folder'],
    [1, 'no files to publish'],
  ])
})

test('without a key and without a terminal deploy says how to sign in', async () => {
  await using place = await workplace({ 'site/index.html': 'hi' })
  const { exitCode, stdout, stderr } = await place.run('deploy site', { env: place.signedOut })
  assert.equal(exitCode, 3)
  assert.equal(stdout, '')
  assert.match(stderr, /Nobody is signed in to http.*\nRun `masthead login`, or set MASTHEAD_KEY\./)
})

test('at a terminal deploy has the person sign in first, shows progress and publishes', {
  skip: noTerminal,
}, async () => {
  await using place = await workplace({ 'site/index.html': 'hi' })
  const { exitCode, stdout } = await place.atTerminal('deploy site', { env: place.signedOut })
  assert.equal(exitCode, 0, stdout)
  assert.match(stdout, /approve the code .*BCDF-GHJK/)
  assert.match(stdout, /Uploading ┄+ {2}0\/1 file {2}0 B of 2 B/)
  assert.match(stdout, /http:\/\/site\.example\r\n$/)
})

test('quiet leaves the address only', async () => {
  await using place = await workplace({ 'site/index.html': 'hi' })
  const { stdout, stderr } = await place.run('deploy site --quiet')
  assert.equal(stdout, 'http://site.example\n')
  assert.equal(stderr, '')
})

test('what stays behind is named', async () => {
  const hidden = { 'site/.env': 'x', 'site/.git/HEAD': 'x', 'site/docs/.DS_Store': 'x' }
  await using place = await workplace({
    'site/index.html': 'hi',
    'site/.well-known/a.txt': 'x',
    'site/docs/a.html': 'x',
    'site/masthead.json': '{}',
    ...hidden,
  })
  const { stderr } = await place.run('deploy site --project site')
  assert.match(stderr, /^Left out: \.env, \.git\/, docs\/\.DS_Store$/m)
  const { leftOut } = JSON.parse((await place.run('deploy site --project site --json')).stdout)
  assert.deepEqual(leftOut.sort(), ['/.env', '/.git/', '/docs/.DS_Store', '/masthead.json'])
})

test('a missing front page is told before anything is sent, and told to programs', async () => {
  await using place = await workplace({ 'site/about.html': 'hi' })
  const { exitCode, stderr } = await place.run('deploy site')
  assert.equal(exitCode, 0, stderr)
  assert.match(stderr, /There is no front page\.\nUploading/)
  const quiet = await place.run('deploy site --quiet')
  assert.equal(quiet.stderr, 'There is no front page.\n')
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
    /There is no front page\.[\s\S]*Publish it anyway\? \[y\/N\][\s\S]*Nothing was published\./,
  )
  assert.deepEqual(place.server.deployments, [])
  const yes = await place.atTerminal('deploy site', { input: 'y\n' })
  assert.equal(yes.exitCode, 0, yes.stdout)
  const unasked = await place.atTerminal('deploy site --yes')
  assert.equal(unasked.exitCode, 0, unasked.stdout)
  const preview = await place.atTerminal('deploy site --no-activate')
  assert.doesNotMatch(preview.stdout, /anyway/)
  assert.equal(place.server.deployments.length, 3)
})
