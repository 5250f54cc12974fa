import assert from 'node:assert/strict'
import { mkdir, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { storedFiles } from '../../backup/installation.test-kit.ts'
import { blobPath, documentPath } from '../../blobs/blob-store.ts'
import { createFileStore } from '../../blobs/files/file-store.ts'
import { openDatabase } from '../../database/database.ts'
import { type DatabaseUnderTest, onEachDatabase } from '../../database/each-database.test-kit.ts'
import { digestOf, startPublishing } from '../../deployments/deployments.test-kit.ts'
import { encodeNextDeployment } from '../../deployments/encode/encode-deployment.ts'
import { manifestName, rulesName } from '../../deployments/manifest-document.ts'
import { remove } from '../../deployments/sweep/sweep.test-kit.ts'
import { sweep } from '../../deployments/sweep/sweep.ts'
import { runHere } from '../run-program.test-kit.ts'

const site = {
  '/index.html': 'the first page',
  '/style.css': 'the style',
  '/long.txt': 'a line that compresses\n'.repeat(40),
}

/** An installation with its files on disk, and a folder for backups. */
async function startInstallation(location: DatabaseUnderTest['location']) {
  await using stack = new AsyncDisposableStack()
  const where = stack.use(await location())
  const folder = stack.use(await temporaryFolder())
  const data = where.dialect === 'sqlite' ? dirname(where.file) : join(folder.path, 'data')
  const env = { MASTHEAD_DATA: data, ...(where.dialect === 'postgres' && { DATABASE_URL: where.url }) }
  await mkdir(data, { recursive: true })
  const stored = join(data, 'blobs')
  const database = stack.use(closing(await openDatabase(where, { warn: () => {} })))
  const publishing = stack.use(await startPublishing(database, await createFileStore(stored)))
  const kept = stack.move()
  return {
    ...{ folder, env, stored, publishing },
    run: (...args: string[]) => runHere(args, env),
    pathOf: (content: string, encoding?: 'br') =>
      blobPath({ accountId: publishing.account.id, sha256: digestOf(content), encoding }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

onEachDatabase('check-files', ({ location }) => {
  test('names lost files, which publishing again or a backup brings back', async () => {
    await using installation = await startInstallation(location)
    const { folder, env, stored, publishing, pathOf } = installation
    const { context } = publishing

    const { id } = await publishing.publish(site)
    while (await encodeNextDeployment(context));
    const old = await publishing.publish({ ...site, '/old.html': 'an old page' }, { activate: false })
    const whole = await storedFiles(stored)
    const backup = join(folder.path, 'backup')
    assert.equal((await runHere(['backup', backup], env)).status, 0)
    assert.equal((await runHere(['check-files'], env)).status, 0)

    const [missing, damaged, form] = [
      pathOf(site['/index.html']),
      pathOf(site['/style.css']),
      pathOf(site['/long.txt'], 'br'),
    ]
    async function lose() {
      await rm(join(stored, missing))
      await writeFile(join(stored, damaged), 'the stile')
      await writeFile(join(stored, form), '')
    }
    await lose()
    const found = await runHere(['check-files'], env)
    assert.equal(found.status, 1, found.stderr)
    assert.ok(found.stdout.includes(`${missing} is missing: /index.html of site`), found.stdout)
    assert.ok(found.stdout.includes(`${damaged} is damaged: /style.css of site`), found.stdout)
    assert.ok(found.stdout.includes(`${form} is damaged: /long.txt of site`), found.stdout)
    assert.match(found.stdout, /Publish these projects again.*: site\.$/m)

    // Nothing is deleted, and a backup still tells that they are lost.
    await remove(publishing, old)
    await sweep(context)
    assert.deepEqual((await storedFiles(stored)).get(damaged)?.toString(), 'the stile')
    const later = await runHere(['backup', join(folder.path, 'later')], env)
    assert.equal(later.status, 1)
    assert.ok(later.stdout.includes(missing) && later.stdout.includes(damaged), later.stdout)

    await publishing.publish(site)
    const after = await storedFiles(stored)
    for (const path of [missing, damaged]) assert.deepEqual(after.get(path), whole.get(path))

    await lose()
    await rm(join(stored, documentPath(manifestName(id))))
    const mended = await runHere(['check-files', '--from', backup], env)
    assert.deepEqual([mended.status, mended.stderr.includes('Error')], [0, false], mended.stdout)
    const back = await storedFiles(stored)
    for (const path of [missing, damaged, form, documentPath(manifestName(id))])
      assert.deepEqual(back.get(path), whole.get(path), path)
    assert.deepEqual((await publishing.announce(site)).missing, [])
  })

  test('names lost manifests, rules and forms, and counts on what was put back', async () => {
    await using installation = await startInstallation(location)
    const { stored, publishing, pathOf, run } = installation
    const { id } = await publishing.publish({ ...site, '/_redirects': '/old /new\n' })
    while (await encodeNextDeployment(publishing.context));
    const [manifest, rules] = [documentPath(manifestName(id)), documentPath(rulesName(id))]
    const form = pathOf(site['/long.txt'], 'br')
    const whole = await storedFiles(stored)

    await rm(join(stored, rules))
    await writeFile(join(stored, form), '')
    const first = await run('check-files')
    assert.equal(first.status, 1)
    assert.ok(first.stdout.includes(`${rules} is missing: site`), first.stdout)
    assert.ok(first.stdout.includes(`${form} is damaged: /long.txt of site`), first.stdout)
    assert.match(first.stdout, /delete it once another one is live/)
    await rm(join(stored, manifest))
    await writeFile(join(stored, rules), '{"version":')
    const second = await run('check-files')
    assert.ok(second.stdout.includes(`${manifest} is missing: site`), second.stdout)

    for (const [path, content] of whole) await writeFile(join(stored, path), content)
    assert.equal((await run('check-files')).status, 0)
    assert.deepEqual((await publishing.announce(site)).missing, [])
    await writeFile(join(stored, rules), '{"version":')
    const third = await run('check-files')
    assert.ok(third.stdout.includes(`${rules} is damaged: site`), third.stdout)
  })

  test('a backup tells of damaged manifests and rules, and keeps earlier snapshots that have them', async () => {
    await using installation = await startInstallation(location)
    const { folder, stored, publishing, run } = installation
    const { id } = await publishing.publish({ ...site, '/_redirects': '/old /new\n' })
    const whole = await storedFiles(stored)
    const backup = join(folder.path, 'backup')
    assert.equal((await run('backup', backup)).status, 0)
    for (const document of [manifestName(id), rulesName(id)].map(documentPath)) {
      await writeFile(join(stored, document), '{"version":1,"fi')
      const { status, stdout, stderr } = await run('backup', backup, '--keep', '1')
      assert.equal(status, 1, stderr)
      assert.ok(stdout.includes(document), stdout)
      const mended = await run('check-files', '--from', backup)
      assert.equal(mended.status, 0, mended.stdout)
      assert.deepEqual(await storedFiles(stored), whole)
    }
  })

  test('copies manifests, rules and forms from a backup, whatever else is damaged there', async () => {
    await using installation = await startInstallation(location)
    const { folder, stored, publishing, pathOf, run } = installation
    const { id } = await publishing.publish({ ...site, '/_redirects': '/old /new\n' })
    while (await encodeNextDeployment(publishing.context));
    const form = pathOf(site['/long.txt'], 'br')
    const documents = [manifestName(id), rulesName(id)].map(documentPath)
    const lost = [...documents, form, pathOf(site['/index.html'])]
    const [backup, late] = [join(folder.path, 'backup'), join(folder.path, 'late')]
    for (let n = 0; n < 2; n++) assert.equal((await run('backup', backup)).status, 0)
    const [, newest = ''] = (await readdir(join(backup, 'snapshots'))).sort()
    await truncate(join(backup, 'snapshots', newest, 'files.db'), 5_000)
    const whole = await storedFiles(stored)

    await writeFile(join(stored, form), '')
    assert.equal((await run('backup', late)).status, 0)
    const same = await run('check-files', '--from', late)
    assert.equal(same.status, 1, 'it is as damaged in that backup')
    assert.ok(same.stdout.includes(`${form} is damaged`), same.stdout)
    const misspelt = await run('check-files', '--from', `${backup}s`)
    assert.deepEqual([misspelt.status, /There is no backup in/.test(misspelt.stderr)], [1, true])

    for (const path of lost) await rm(join(stored, path))
    const mended = await run('check-files', '--from', backup)
    assert.equal(mended.status, 0, mended.stderr)
    assert.match(mended.stdout, /^4 files were copied from the backup/)
    assert.deepEqual(await storedFiles(stored), whole)
  })
})

function closing<T extends { close(): Promise<void> }>(database: T): T & AsyncDisposable {
  return { ...database, [Symbol.asyncDispose]: () => database.close() }
}
