import assert from 'node:assert/strict'
import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createInstallation, storedFiles, writeBelow } from '../backup/installation.test-kit.ts'
import { runProgram } from './run-program.test-kit.ts'

const small = { accounts: 1, deploymentsPerAccount: 1 }
const marker = 'masthead-backup.json'

const backUp = (folder: string, dataFolder: string, ...options: string[]) =>
  runProgram(['backup', folder, ...options], { MASTHEAD_DATA: dataFolder })

async function backUpWell(folder: string, dataFolder: string, ...options: string[]): Promise<void> {
  const { status, stderr } = await backUp(folder, dataFolder, ...options)
  assert.equal(status, 0, stderr)
}

const snapshotNames = async (folder: string) => (await readdir(join(folder, 'snapshots'))).sort()

const foreign: Record<string, [path: string, named: string]> = {
  'snapshots of another program': ['snapshots/2026-11-01/home/a', 'snapshots/2026-11-01'],
  'files of other people': ['files/customers/contract.pdf', 'files/customers'],
  'a file with a name like that of a folder of ours': ['files/ab', 'files/ab'],
  'a repository of another program': [`snapshots/${'a'.repeat(64)}`, `snapshots/${'a'.repeat(64)}`],
  'a file next to a folder of ours': ['notes.txt', 'notes.txt'],
  'a folder with a name like that of a snapshot': ['snapshots/2026-11-01T00-00-00Z/a', 'snapshots/2026'],
}

for (const [what, [path, named]] of Object.entries(foreign)) {
  test(`a backup into a folder with ${what} is refused and changes nothing`, async () => {
    await using installation = await createInstallation(small)
    const folder = join(installation.path, 'mnt')
    await writeBelow(folder, path, 'theirs')
    await chmod(folder, 0o755)
    const { status, stderr } = await backUp(folder, installation.dataFolder, '--keep', '1')
    assert.equal(status, 1)
    assert.ok(stderr.startsWith(`${folder} holds something other than backups of Masthead: ${named}`), stderr)
    assert.match(
      stderr,
      /Nothing was changed\. Use a folder that is new or empty, such as .*\/mnt\/masthead\./,
    )
    assert.deepEqual([...(await storedFiles(folder)).keys()], [path])
    assert.equal((await stat(folder)).mode & 0o777, 0o755)
  })
}

test('a backup removes nothing that no backup has written', async () => {
  await using installation = await createInstallation(small)
  const folder = join(installation.path, 'mnt')
  await mkdir(join(folder, 'lost+found'), { recursive: true })
  await backUpWell(folder, installation.dataFolder)
  const theirs = [
    'notes.txt',
    'snapshots/2026-11-01/home/a',
    'snapshots/list',
    'snapshots/other/manifest.json',
    'files/customers/contract.pdf',
    'files/ab/contract.pdf',
    `files/ab/${'c'.repeat(64)}`,
    'files/incoming/contract.pdf',
    'files/list',
  ]
  for (const path of theirs) await writeBelow(folder, path, 'theirs')
  const ours = [`files/ab/ab${'0'.repeat(62)}`, 'snapshots/2026-11-01T00-00-00Z/rows.db']
  for (const path of ours) await writeBelow(folder, path, 'of an interrupted backup')
  await backUpWell(folder, installation.dataFolder, '--keep', '1')
  const left = await storedFiles(folder)
  assert.deepEqual(
    [theirs.filter((path) => !left.has(path)), ours.filter((path) => left.has(path))],
    [[], []],
  )
})

test('a folder of an older version gets further backups', async () => {
  await using installation = await createInstallation(small)
  const folder = join(installation.path, 'mnt')
  await backUpWell(folder, installation.dataFolder)
  const [name = ''] = await snapshotNames(folder)
  const interrupted = join(installation.path, 'interrupted')
  await cp(folder, interrupted, { recursive: true })
  await rm(join(interrupted, 'snapshots', name, 'manifest.json'))
  await writeFile(join(folder, 'notes.txt'), 'Disk 2')
  for (const [path, snapshots] of [
    [folder, 2],
    [interrupted, 1],
  ] as const) {
    await rm(join(path, marker))
    await backUpWell(path, installation.dataFolder)
    assert.equal((await snapshotNames(path)).length, snapshots)
    assert.ok((await readdir(path)).includes(marker))
  }
})

test('a snapshot that somebody renamed stays, can be restored, and is not the newest', async () => {
  await using installation = await createInstallation(small)
  const folder = join(installation.path, 'mnt')
  await backUpWell(folder, installation.dataFolder)
  const [name = ''] = await snapshotNames(folder)
  await rename(join(folder, 'snapshots', name), join(folder, 'snapshots/before-the-update'))
  for (let i = 0; i < 2; i++) await backUpWell(folder, installation.dataFolder, '--keep', '1')
  const [newest = '', ...others] = await snapshotNames(folder)
  assert.deepEqual(others, ['before-the-update'])
  const verified = await runProgram(['verify', folder], {})
  assert.match(verified.stdout, new RegExp(`The snapshot ${newest} of .* is complete`))
  const restored = await runProgram(['restore', folder, '--snapshot', 'before-the-update'], {
    MASTHEAD_DATA: join(installation.path, 'restored'),
  })
  assert.equal(restored.status, 0, restored.stderr)
})

test('a folder of a newer version is refused', async () => {
  await using installation = await createInstallation(small)
  const folder = join(installation.path, 'mnt')
  await writeBelow(folder, marker, '{"format":2}')
  const { status, stderr } = await backUp(folder, installation.dataFolder)
  assert.match(stderr, /were made by a newer version of Masthead\. Update this program\./)
  assert.equal(status, 1)
})

function changeRows({ databaseFile }: { databaseFile: string }, statements: string): void {
  const rows = new DatabaseSync(databaseFile)
  rows.exec(`pragma foreign_keys = off; ${statements}`)
  rows.close()
}

function idsOf(databaseFile: string): unknown[] {
  const rows = new DatabaseSync(databaseFile)
  const ids = rows.prepare('select id from installation').all()
  rows.close()
  return ids.map(({ id }) => id)
}

/** As an older version left it. */
const forgetId = 'drop table installation'
const otherAccounts = `update accounts set id = 'other_' || id`

for (const [what, ours, theirs] of [
  ['', '', ''],
  [' of an older version', forgetId, otherAccounts],
] as const) {
  test(`the folder of another installation${what} is refused and left as it is`, async () => {
    await using first = await createInstallation(small)
    await using second = await createInstallation(small)
    const folder = join(first.path, 'mnt')
    if (ours !== '') changeRows(first, ours)
    if (theirs !== '') changeRows(second, theirs)
    await backUpWell(folder, first.dataFolder)
    if (ours !== '') await rm(join(folder, marker))
    const before = await storedFiles(folder)
    const { status, stderr } = await backUp(folder, second.dataFolder, '--keep', '1')
    assert.match(
      stderr,
      /mnt holds backups of another installation\. Nothing was changed\. Use a folder for each/,
    )
    assert.equal(status, 1)
    assert.deepEqual(await storedFiles(folder), before)
    await backUpWell(folder, first.dataFolder, '--keep', '1')
  })
}

test('an older installation keeps its folder after the update, and then it belongs to it', async () => {
  await using installation = await createInstallation(small)
  await using copy = await createInstallation(small)
  const folder = join(installation.path, 'mnt')
  const before = await readFile(installation.databaseFile)
  changeRows(installation, forgetId)
  await backUpWell(folder, installation.dataFolder)
  await rm(join(folder, marker))
  await writeFile(installation.databaseFile, before)
  await backUpWell(folder, installation.dataFolder)
  assert.equal((await snapshotNames(folder)).length, 2)
  // It has the same accounts, which no longer count.
  assert.match((await backUp(folder, copy.dataFolder)).stderr, /holds backups of another installation/)
})

test('a restored installation goes on with the folder, also from a snapshot without an id', async () => {
  await using installation = await createInstallation(small)
  const folder = join(installation.path, 'mnt')
  const before = await readFile(installation.databaseFile)
  changeRows(installation, `delete from migrations where name = '0038-installation'; ${forgetId}`)
  await backUpWell(folder, installation.dataFolder)
  await writeFile(installation.databaseFile, before)
  await backUpWell(folder, installation.dataFolder)
  for (const name of await snapshotNames(folder)) {
    const data = join(installation.path, `restored-${name}`)
    const restored = await runProgram(['restore', folder, '--snapshot', name], { MASTHEAD_DATA: data })
    assert.equal(restored.status, 0, restored.stderr)
    assert.deepEqual(idsOf(join(data, 'masthead.db')), idsOf(installation.databaseFile))
    await backUpWell(folder, data)
  }
})

test('the snapshot that was just made stays, also if the clock of an earlier one was ahead', async () => {
  await using installation = await createInstallation(small)
  const folder = join(installation.path, 'mnt')
  await backUpWell(folder, installation.dataFolder)
  const [name = ''] = await snapshotNames(folder)
  await rename(join(folder, 'snapshots', name), join(folder, 'snapshots/2999-01-01T00-00-00Z'))
  await backUpWell(folder, installation.dataFolder, '--keep', '1')
  assert.equal((await snapshotNames(folder)).length, 2)
})
