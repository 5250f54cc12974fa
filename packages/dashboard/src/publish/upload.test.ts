import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Client, createClient } from '@masthead/client/client.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { visit } from '@masthead/testing/clients/visit.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { archiveSite, type FolderSite, type SiteFile } from './site.ts'
import { Upload } from './upload.ts'
import { canRetry, uploadWords } from './upload-view.ts'

let masthead: MastheadProcess
let key: string
let api: Client
before(async () => {
  masthead = await MastheadProcess.start()
  const server = masthead.origin
  const operatorKey = (await readFile(join(masthead.dataFolder, 'operator.key'), 'utf8')).trim()
  const operator = createClient({ server, key: operatorKey })
  const made = await operator.createAccount({ body: { name: 'Publisher', plan: 'business' } })
  key = made.key.secret
  api = createClient({ server, key })
})
after(() => masthead.stop())

function siteOf(contents: Record<string, string>): FolderSite {
  const files = Object.entries(contents).map(([path, content]): SiteFile => {
    const file = new File([content], path)
    return { path, file, reopen: async () => file }
  })
  return { kind: 'folder', name: 'site', files, bytes: 0 }
}

/** Records the requests of an upload, and can make one of them fail. */
function requests() {
  const made: string[] = []
  const errors: unknown[] = []
  let lose: string | null = null
  const answersToLose: string[] = []
  const client = createClient({
    server: masthead.origin,
    key,
    retry: { attempts: 1 },
    fetch: async (url, init) => {
      const request = `${init?.method} ${new URL(String(url)).pathname.split('/').slice(4).join('/')}`
      made.push(request.replace(/dpl_\w+/, 'D').replace(/\w{64}/, 'SHA'))
      if (lose !== null && request.endsWith(lose)) {
        lose = null
        throw new TypeError('lost')
      }
      const answer = await fetch(url, init)
      const lost = answersToLose.findIndex((part) => request.endsWith(part) || request.startsWith(part))
      if (lost === -1) return answer
      answersToLose.splice(lost, 1)
      throw new TypeError('lost')
    },
  })
  const target = (project: string, goLive = true) => ({
    project,
    goLive,
    clientWithProgress: (): Client => client,
    keepaliveClient: client,
    onError: (error: unknown) => errors.push(error),
  })
  return { made, errors, target, loseNext: (ending: string) => (lose = ending), answersToLose }
}

/** A file that changes after it was read once. */
function changingFile(before: string, after: string): File {
  const file = new File([after], 'news.txt')
  let isRead = false
  file.arrayBuffer = () => {
    const content = new Blob([isRead ? after : before])
    isRead = true
    return content.arrayBuffer()
  }
  return file
}

async function served(slug: string, path: string): Promise<string> {
  return (await visit(masthead, slug, path)).body
}

test('500 files are published in a handful of requests, and again in two', async () => {
  const project = await api.createProject({ body: { slug: 'five-hundred' } })
  const { made, target } = requests()
  const contents: Record<string, string> = { '/index.html': 'front' }
  for (let i = 1; i < 500; i++) contents[`/pages/${i}.txt`] = `page ${i}`
  const upload = new Upload(siteOf(contents), target(project.id))
  await upload.run()
  const { step, progress, deployment, shown } = upload.view
  assert.deepEqual([step, progress.fraction, progress.counts.sent], ['done', 1, 500])
  assert.equal(deployment?.files, 500)
  assert.ok(shown.length < 20)
  assert.deepEqual(made, ['POST deployments', 'POST deployments/D/files', 'POST deployments/D/finalize'])
  assert.equal(await served('five-hundred', '/pages/499.txt'), 'page 499')

  made.length = 0
  contents['/pages/1.txt'] = 'page 2'
  const again = new Upload(siteOf(contents), target(project.id))
  await again.run()
  assert.deepEqual(made, ['POST deployments', 'POST deployments/D/finalize'])
  assert.equal(again.view.progress.counts.there, 500)
  assert.equal(await served('five-hundred', '/pages/1.txt'), 'page 2')
})

test('a lost connection stops the upload; a retry continues in the same deployment', async () => {
  const project = await api.createProject({ body: { slug: 'lost' } })
  const { made, target, loseNext } = requests()
  const large = 'x'.repeat(300_000)
  const upload = new Upload(siteOf({ '/a.txt': large, '/b.txt': `${large}b` }), target(project.id))
  loseNext('finalize')
  await upload.run()
  assert.equal(upload.view.step, 'failed')
  assert.match(String(upload.view.error), /Could not reach/)
  await upload.run()
  assert.equal(upload.view.step, 'done')
  assert.deepEqual(made, [
    'POST deployments',
    'PUT deployments/D/files/SHA',
    'PUT deployments/D/files/SHA',
    'POST deployments/D/finalize',
    'GET deployments/D',
    'POST deployments/D/finalize',
  ])
})

test('a site that went live is shown as live, although the answer about it was lost', async () => {
  const project = await api.createProject({ body: { slug: 'answered' } })
  const archive = archiveSite(new File([tarGz({ 'index.html': 'packed' })], 'site.tar.gz'))
  assert.ok(archive !== null)
  for (const [site, last, content] of [
    [siteOf({ '/index.html': 'folder' }), 'finalize', 'folder'],
    [archive, 'activate', 'packed'],
  ] as const) {
    const { made, target, answersToLose } = requests()
    answersToLose.push(last)
    const upload = new Upload(site, target(project.id))
    await upload.run()
    assert.deepEqual([upload.view.step, upload.view.deployment?.active], ['done', true])
    assert.equal(await served('answered', '/'), content)
    assert.equal(made.at(-1), 'GET deployments/D')
  }
})

test('if nobody knows whether it went live, the upload says so, and a retry sends nothing twice', async () => {
  const project = await api.createProject({ body: { slug: 'unclear' } })
  const archive = archiveSite(new File([tarGz({ 'index.html': 'packed' })], 'site.tar.gz'))
  assert.ok(archive !== null)
  for (const [site, last, content] of [
    [siteOf({ '/index.html': 'folder' }), 'finalize', 'folder'],
    [archive, 'activate', 'packed'],
  ] as const) {
    const { made, target, answersToLose } = requests()
    const upload = new Upload(site, target(project.id))
    answersToLose.push(last, 'GET')
    await upload.run()
    assert.equal(upload.view.step, 'failed')
    assert.match(uploadWords(upload.view).detail, /may be live already/)
    await upload.abandon()
    assert.equal(await served('unclear', '/'), content)
    made.length = 0
    await upload.run()
    assert.equal(upload.view.step, 'done')
    assert.deepEqual(made, [`POST deployments/D/${last}`])
  }
})

test('a file that changes during the upload is named, nothing is published, and a retry sends its new content', async () => {
  const project = await api.createProject({ body: { slug: 'changing' } })
  const { target } = requests()
  for (const pad of ['', 'x'.repeat(300_000)]) {
    const site = siteOf({ '/index.html': `front ${pad}`, '/other.txt': `other ${pad}` })
    const changing: SiteFile = {
      path: '/news.txt',
      file: changingFile(`old${pad}`, `new${pad}`),
      reopen: async () => new File([`new${pad}`], 'news.txt'),
    }
    const upload = new Upload({ ...site, files: [...site.files, changing] }, target(project.id))
    await upload.run()
    const { step, error, shown } = upload.view
    assert.deepEqual([step, error], ['failed', null])
    assert.deepEqual(
      shown.filter(({ state }) => state === 'failed').map(({ path, reason }) => [path, reason]),
      [['/news.txt', 'changed while it was being published']],
    )
    await upload.run()
    assert.equal(upload.view.step, 'done')
    assert.equal(await served('changing', '/news.txt'), `new${pad}`)
  }
})

test('an unreadable file is named before anything is sent', async () => {
  const project = await api.createProject({ body: { slug: 'unreadable' } })
  const { made, target } = requests()
  const file = new File(['x'], 'gone.txt')
  file.arrayBuffer = () => Promise.reject(new DOMException('gone', 'NotReadableError'))
  const gone: SiteFile = { path: '/gone.txt', file, reopen: null }
  const site: FolderSite = { kind: 'folder', name: null, files: [gone], bytes: 1 }
  const upload = new Upload(site, target(project.id))
  await upload.run()
  assert.equal(upload.view.step, 'failed')
  assert.match(upload.view.shown[0]?.reason ?? '', /cannot be read/)
  assert.equal(canRetry(upload.view), false, 'a chosen file stays as it was chosen')
  assert.match(uploadWords(upload.view).detail, /not changed\. Choose the folder again\.$/)
  assert.deepEqual(made, [])
})

test('cancelling changes nothing and leaves nothing behind, and the upload can be restarted', async () => {
  const project = await api.createProject({ body: { slug: 'cancelled' } })
  const params = { project: 'cancelled' }
  for (const cancelAt of ['hashing', 'sending'] as const) {
    const { target } = requests()
    const upload = new Upload(siteOf({ '/index.html': `front ${cancelAt}` }), target(project.id))
    upload.subscribe(() => upload.view.step === cancelAt && upload.cancel())
    const running = upload.run()
    if (cancelAt === 'hashing') upload.cancel()
    await running
    assert.equal(upload.view.step, 'cancelled')
    assert.equal((await api.getProject({ params })).activeDeployment, null)
    assert.deepEqual((await api.listDeployments({ params })).items, [])
  }
  const { target } = requests()
  const upload = new Upload(siteOf({ '/index.html': 'again' }), target(project.id))
  let cancelled = false
  upload.subscribe(() => {
    if (cancelled || upload.view.step !== 'sending') return
    cancelled = true
    upload.cancel()
  })
  await upload.run()
  await upload.run()
  assert.equal(upload.view.step, 'done')
  assert.equal(await served('cancelled', '/'), 'again')
})

test('a preview does not go live, nor does an archive without an index page', async () => {
  const project = await api.createProject({ body: { slug: 'preview' } })
  const { target } = requests()
  const live = new Upload(siteOf({ '/index.html': 'live' }), target(project.id))
  await live.run()
  const packed = (files: Record<string, string>) => {
    const site = archiveSite(new File([tarGz(files)], 'site.tar.gz'))
    assert.ok(site !== null)
    return site
  }
  for (const [site, goLive, diagnostics] of [
    [siteOf({ '/index.html': 'next' }), false, 0],
    [packed({ 'index.html': 'next' }), false, 0],
    [packed({ 'page.txt': 'no front page' }), true, 1],
  ] as const) {
    const upload = new Upload(site, target(project.id, goLive))
    await upload.run()
    const { step, deployment } = upload.view
    assert.deepEqual([step, deployment?.state, deployment?.active], ['done', 'ready', false])
    assert.equal(deployment?.diagnostics.length, diagnostics)
    assert.equal(await served('preview', '/'), 'live')
  }
})

test('an archive is sent in one request, and the error about a broken one is kept', async () => {
  const project = await api.createProject({ body: { slug: 'archive' } })
  const { made, target } = requests()
  const site = archiveSite(new File([tarGz({ 'index.html': 'packed' })], 'site.tar.gz'))
  const broken = archiveSite(new File(['not a zip'], 'site.zip'))
  assert.ok(site !== null && broken !== null)
  const upload = new Upload(site, target(project.id))
  await upload.run()
  assert.deepEqual([upload.view.step, upload.view.deployment?.active], ['done', true])
  assert.deepEqual(made, ['POST deployments', 'POST deployments/D/activate'])
  assert.equal(await served('archive', '/'), 'packed')

  const refused = new Upload(broken, target(project.id))
  await refused.run()
  assert.equal(refused.view.step, 'failed')
  assert.match(String((refused.view.error as { code?: string }).code), /^archive_/)
  assert.equal(await served('archive', '/'), 'packed')
})
