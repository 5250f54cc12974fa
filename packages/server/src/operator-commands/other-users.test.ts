import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chown, mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { programEnvironment } from '@masthead/testing/programs.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { createInstallation } from '../backup/installation.test-kit.ts'
import { openDatabase } from '../database/database.ts'
import { openSealing } from '../secrets/open-sealing.ts'

const program = join(import.meta.dirname, '../../bin/masthead-server.js')
const user = 65_533
/** Who may read this repository wherever it is. */
const asUser = [
  ...['setpriv', `--reuid=${user}`, '--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search'],
]
const skip = process.getuid?.() === 0 ? false : 'needs root'

function run(under: readonly string[], args: readonly string[], dataFolder: string) {
  const [command = '', ...rest] = [...under, process.execPath, program, ...args]
  const env = { ...programEnvironment, MASTHEAD_DATA: dataFolder }
  return spawnSync(command, rest, { env, encoding: 'utf8' })
}

/** The owners of everything below a folder. */
async function ownersIn(folder: string): Promise<number[]> {
  const names = await readdir(folder, { recursive: true })
  const owners = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).uid))
  return [...new Set(owners)]
}

async function giveTo(owner: number, folder: string): Promise<void> {
  for (const name of ['.', ...(await readdir(folder, { recursive: true }))])
    await chown(join(folder, name), owner, owner)
}

test('commands that write in the data folder of another user are refused as root, and work as that user', {
  skip,
}, async () => {
  await using folder = await temporaryFolder('masthead-other-user')
  await chown(folder.path, user, user)
  const dataFolder = join(folder.path, 'data')
  await mkdir(dataFolder)
  const database = await openDatabase(
    { dialect: 'sqlite', file: join(dataFolder, 'masthead.db') },
    { warn: () => {} },
  )
  await openSealing({ database }, { given: null, dataFolder })
  await database.close()
  await giveTo(user, dataFolder)
  const keyFile = join(dataFolder, 'master.key')

  for (const command of ['rotate-master-key', 'replace-operator-key']) {
    const before = await readFile(keyFile, 'utf8')
    const { status, stderr } = run([], [command], dataFolder)
    assert.equal(status, 1)
    assert.match(
      stderr,
      /belongs to the user with the id 65533, .*: sudo -u '#65533' npx masthead-server …$/m,
    )
    assert.equal(await readFile(keyFile, 'utf8'), before)

    const own = run(asUser, [command], dataFolder)
    assert.equal(own.status, 0, own.stderr)
    assert.deepEqual(await ownersIn(dataFolder), [user])
  }
})

test('a restore by root into the folder of another user is refused', { skip }, async () => {
  await using installation = await createInstallation({ accounts: 1 })
  const backup = join(installation.path, 'backup')
  const made = run([], ['backup', backup], installation.dataFolder)
  assert.equal(made.status, 0, made.stderr)
  const target = join(installation.path, 'target')
  await mkdir(target)
  await giveTo(user, target)
  const { status, stderr } = run([], ['restore', backup], target)
  assert.equal(status, 1)
  assert.match(stderr, /belongs to the user with the id 65533/)
  assert.deepEqual(await readdir(target), [])
})
