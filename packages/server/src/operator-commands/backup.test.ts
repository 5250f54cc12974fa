import assert from 'node:assert/strict'
import { readdir, readFile, rm, stat, statfs, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { fillDisk, smallDisk } from '@masthead/testing/small-disk.ts'
import { until } from '@masthead/testing/until.ts'
import { createInstallation, storedFiles } from '../backup/installation.test-kit.ts'
import { runHere, runProgram, startProgram } from './run-program.test-kit.ts'

const listFiles = (folder: string) => readdir(folder, { recursive: true }).catch(() => [])
const countFiles = async (folder: string) => (await listFiles(folder)).length

test('backup and restore, each killed twice, end with the same files and rows', async () => {
  await using installation = await createInstallation({
    rows: 50,
    accounts: 8,
    deploymentsPerAccount: 3,
    filesPerDeployment: 20,
  })
  const backup = join(installation.path, 'backup')
  const restored = join(installation.path, 'restored')
  for (const [args, dataFolder, growing] of [
    [['backup', backup], installation.dataFolder, join(backup, 'files')],
    [['restore', backup], restored, join(restored, 'blobs')],
  ] as const) {
    const env = { MASTHEAD_DATA: dataFolder }
    for (let kill = 0; kill < 2; kill++) {
      const enough = (await countFiles(growing)) + 1 + Math.floor(Math.random() * 150)
      const { child, done } = startProgram(args, env)
      await until(async () => child.exitCode !== null || (await countFiles(growing)) >= enough)
      child.kill('SIGKILL')
      assert.equal((await done()).status, null)
    }
    const copiesOfRows = (await listFiles(backup)).filter((path) => path.endsWith('rows.db'))
    assert.equal(copiesOfRows.length, 1)
    const { status, stderr } = await runProgram(args, env)
    assert.equal(status, 0, stderr)
  }
  const checked = await runProgram(['verify', backup], {})
  assert.deepEqual([checked.status, /is complete\.$/m.test(checked.stdout)], [0, true])
  await rm(join(restored, 'blobs/staging'), { recursive: true })
  await rm(join(installation.dataFolder, 'blobs/staging'), { recursive: true })
  assert.deepEqual(
    await storedFiles(join(restored, 'blobs')),
    installation.files.size === 0 ? null : sorted(installation.files),
  )
  const again = join(installation.path, 'again')
  assert.equal((await runProgram(['backup', again], { MASTHEAD_DATA: restored })).status, 0)
  assert.deepEqual(await digests(again), await digests(backup))
})

const sorted = (files: Map<string, Buffer>) => new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)))

async function digests(backup: string) {
  const [name = ''] = await readdir(join(backup, 'snapshots'))
  const { tables, files } = JSON.parse(
    await readFile(join(backup, 'snapshots', name, 'manifest.json'), 'utf8'),
  )
  return { tables, files }
}

test('the master key is only in a backup that asked for it, and is restored from there', async () => {
  await using installation = await createInstallation({ accounts: 1, deploymentsPerAccount: 1 })
  const key = `${Buffer.alloc(32, 7).toString('base64')}\n`
  await writeFile(join(installation.dataFolder, 'master.key'), key, { mode: 0o600 })
  const env = { MASTHEAD_DATA: installation.dataFolder }
  for (const [flags, said, expected] of [
    [[], /The master key is not in it\. Keep a copy/, /Before you start the server, put its master key into/],
    [['--with-master-key'], /It includes the master key/, /The master key was in the backup and is now in/],
  ] as const) {
    const backup = join(installation.path, `backup${flags.length}`)
    const made = await runProgram(['backup', backup, ...flags], env)
    assert.equal(made.status, 0, made.stderr)
    assert.match(made.stdout, said)
    assert.doesNotMatch(made.stdout + made.stderr, new RegExp(key.trim()))
    const contents = [...(await storedFiles(backup)).values()]
    assert.equal(
      contents.some((content) => content.includes(key.trim())),
      flags.length === 1,
    )
    const restored = join(installation.path, `restored${flags.length}`)
    const back = await runProgram(['restore', backup], { MASTHEAD_DATA: restored })
    assert.match(back.stdout, expected)
    const file = join(restored, 'master.key')
    if (flags.length === 0) await assert.rejects(stat(file), /ENOENT/)
    else assert.deepEqual([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777], [key, 0o600])
  }
})

test('verify lists what is wrong and exits with 1', async () => {
  await using installation = await createInstallation({ accounts: 1, deploymentsPerAccount: 1 })
  const backup = join(installation.path, 'backup')
  assert.match((await runProgram(['verify', backup], {})).stderr, /^There is no backup in /)
  assert.equal((await runProgram(['backup', backup], { MASTHEAD_DATA: installation.dataFolder })).status, 0)
  const [part = ''] = (await readdir(join(backup, 'files'))).filter((name) => name !== 'incoming')
  await rm(join(backup, 'files', part), { recursive: true })
  const { status, stdout } = await runProgram(['verify', backup], {})
  assert.equal(status, 1)
  assert.match(stdout, /is not usable as it is:\n {2}\S+ is missing\./)
})

test('a path that cannot be a folder ends a backup with one line', async () => {
  await using installation = await createInstallation({ accounts: 1, deploymentsPerAccount: 1 })
  const file = join(installation.path, 'file')
  await writeFile(file, '')
  for (const path of [file, join(file, 'backup'), '/proc/masthead']) {
    const { status, stderr } = await runProgram(['backup', path], { MASTHEAD_DATA: installation.dataFolder })
    assert.match(stderr, /^E[A-Z]+: .*Use a folder that this user can create and write to\.\n$/)
    assert.equal(status, 1)
  }
})

test('a full disk ends a backup with one line', {
  skip: process.getuid?.() !== 0 && process.env.CI !== 'true' && 'only root can mount a small disk',
}, async () => {
  await using installation = await createInstallation({ accounts: 1, deploymentsPerAccount: 1 })
  await using disk = await smallDisk(1)
  const env = { MASTHEAD_DATA: installation.dataFolder }
  fillDisk(join(disk.path, 'filler'))
  for (const freed of [0, 128 * 1024]) {
    await truncate(join(disk.path, 'filler'), 1024 ** 2 - freed)
    const { status, stderr } = await runProgram(['backup', join(disk.path, 'backup')], env)
    const said = stderr.split('\n').filter((line) => /full/.test(line) || /^ +at /.test(line))
    assert.match(said.join('\n'), /^.*\. The disk is full\. Free some space and run this again\.$/)
    assert.equal(status, 1)
  }
})

test('a backup that does not fit leaves earlier ones, and the space that was free', {
  skip: process.getuid?.() !== 0 && process.env.CI !== 'true' && 'only root can mount a small disk',
}, async () => {
  await using installation = await createInstallation({ accounts: 4, filesPerDeployment: 200 })
  await using disk = await smallDisk(32)
  const folder = join(disk.path, 'backup')
  const backUp = () => runProgram(['backup', folder], { MASTHEAD_DATA: installation.dataFolder })
  const freeBytes = async () => (await statfs(disk.path)).bfree * 4096
  const leave = async (bytes: number) => {
    fillDisk(join(disk.path, 'filler'))
    const { size } = await stat(join(disk.path, 'filler'))
    await truncate(join(disk.path, 'filler'), size - bytes)
  }
  /** Of folders, and of the file that locks the backup. */
  const small = 64 * 1024
  await leave(3 * 1024 ** 2)
  for (let round = 0; round < 2; round++) {
    const before = await freeBytes()
    assert.equal((await backUp()).status, 1)
    assert.ok((await freeBytes()) > before - small)
  }
  await rm(join(disk.path, 'filler'))
  const { status, stderr } = await backUp()
  assert.equal(status, 0, stderr)
  await leave(128 * 1024)
  assert.equal((await backUp()).status, 1)
  assert.ok((await freeBytes()) > 128 * 1024 - small)
  assert.equal((await runProgram(['verify', folder], {})).status, 0)
})

test('a snapshot without files that were lost before is not complete, and restored only if told to', async () => {
  await using installation = await createInstallation({ accounts: 1, deploymentsPerAccount: 1 })
  const backup = join(installation.path, 'backup')
  const env = { MASTHEAD_DATA: installation.dataFolder }
  assert.equal((await runProgram(['backup', backup], env)).status, 0)
  const [whole = ''] = await readdir(join(backup, 'snapshots'))
  const paths = [...installation.files.keys()].filter((path) => path.includes('manifests'))
  for (const path of paths) await rm(join(installation.dataFolder, 'blobs', path))
  assert.equal((await runProgram(['backup', backup, '--keep', '1'], env)).status, 1)

  const checked = await runProgram(['verify', backup], {})
  assert.equal(checked.status, 1)
  for (const path of paths) assert.ok(checked.stdout.includes(`${path} was already missing or damaged`))
  assert.match(checked.stdout, new RegExp(`with all files is ${whole}\\.$`, 'm'))
  assert.doesNotMatch(checked.stdout, /is complete/)

  const target = { MASTHEAD_DATA: join(installation.path, 'restored') }
  const refused = await runProgram(['restore', backup], target)
  assert.equal(refused.status, 1)
  for (const path of paths) assert.ok(refused.stderr.includes(path))
  assert.match(
    refused.stderr,
    new RegExp(`with all files is ${whole}\\. To restore it, add: --snapshot ${whole}$`, 'm'),
  )
  assert.deepEqual((await readdir(target.MASTHEAD_DATA)).includes('masthead.db'), false)
  for (const options of [['--leave-damaged'], ['--snapshot', whole]]) {
    const restored = await runProgram(['restore', backup, ...options], {
      MASTHEAD_DATA: join(installation.path, `restored${options[0]}`),
    })
    assert.equal(restored.status, 0, restored.stderr)
  }
})

test('a damaged or exchanged list of files is never restored, and named by later backups', async () => {
  await using installation = await createInstallation({ accounts: 1, deploymentsPerAccount: 1 })
  const [folder, env] = [join(installation.path, 'backup'), { MASTHEAD_DATA: installation.dataFolder }]
  const snapshots = join(folder, 'snapshots')
  assert.equal((await runHere(['backup', folder], env)).status, 0)
  const [older = ''] = await readdir(snapshots)
  const database = new DatabaseSync(installation.databaseFile)
  database.exec(`delete from blobs where rowid in (select min(rowid) from blobs)`)
  database.close()
  assert.equal((await runHere(['backup', folder], env)).status, 0)
  const [, newest = ''] = (await readdir(snapshots)).sort()
  const list = join(snapshots, newest, 'files.db')
  const restore = (data: string, ...options: string[]) =>
    runHere(['restore', folder, ...options], { MASTHEAD_DATA: join(installation.path, data) })

  const whole = await readFile(list)
  for (const [content, what] of [
    [await readFile(join(snapshots, older, 'files.db')), 'not the one that was written'],
    [whole.subarray(0, 5_000), 'missing or damaged'],
  ] as const) {
    await writeFile(list, content)
    const { status, stderr } = await restore('refused')
    assert.equal(status, 1)
    assert.match(stderr, new RegExp(`^The list of files is ${what} .*--snapshot: ${older}\\.$`, 'm'))
    assert.match((await runHere(['verify', folder])).stdout, new RegExp(`The list of files is ${what}`))
  }
  assert.equal((await restore('restored', '--snapshot', older)).status, 0)

  const files = (await storedFiles(join(folder, 'files'))).size
  const { status, stdout, stderr } = await runHere(['backup', folder, '--keep', '2'], env)
  assert.equal(status, 1, stderr)
  assert.match(stdout, /^The backup is complete: /)
  assert.ok(stdout.includes(`${list} cannot be read`) && stdout.includes(join(snapshots, newest)), stdout)
  assert.equal((await storedFiles(join(folder, 'files'))).size, files)
  await rm(join(snapshots, newest), { recursive: true })
  assert.equal((await runHere(['backup', folder, '--keep', '1'], env)).status, 0)
})

test('an earlier list of files whose index is damaged keeps no backup from being made', async () => {
  await using installation = await createInstallation({ accounts: 1, deploymentsPerAccount: 1 })
  const [folder, env] = [join(installation.path, 'backup'), { MASTHEAD_DATA: installation.dataFolder }]
  assert.equal((await runHere(['backup', folder], env)).status, 0)
  const [earlier = ''] = await readdir(join(folder, 'snapshots'))
  const list = join(folder, 'snapshots', earlier, 'files.db')
  const opened = new DatabaseSync(list)
  const { rootpage } =
    opened.prepare(`select rootpage from sqlite_schema where name = 'files_by_blob'`).get() ?? {}
  const { page_size: pageSize } = opened.prepare('pragma page_size').get() ?? {}
  opened.close()
  const content = await readFile(list)
  const [page, size] = [Number(rootpage), Number(pageSize)]
  await writeFile(list, content.fill(0xff, (page - 1) * size, page * size))

  const { status, stdout, stderr } = await runHere(['backup', folder], env)
  assert.equal(status, 0, stderr)
  assert.match(stdout, /^The backup is complete: /)
  assert.deepEqual((await runHere(['verify', folder])).status, 0)
})
