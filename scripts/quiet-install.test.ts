import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { repositoryRoot } from './repository.ts'

/** Installs a package that requires a newer Node.js than anyone has. */
async function install({ quiet }: { quiet: boolean }): Promise<{ status: number | null; said: string }> {
  await using folder = await temporaryFolder()
  const engines = { node: '>=999' }
  await mkdir(join(folder.path, 'ahead'))
  await writeFile(
    join(folder.path, 'ahead/package.json'),
    JSON.stringify({ name: 'ahead', version: '1.0.0', engines }),
  )
  await writeFile(
    join(folder.path, 'package.json'),
    JSON.stringify({ name: 'newcomer', version: '1.0.0', dependencies: { ahead: 'file:./ahead' } }),
  )
  if (quiet) await copyFile(join(repositoryRoot, '.npmrc'), join(folder.path, '.npmrc'))
  // npm passes its settings to scripts in the environment, which would override the file.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))
  const { status, stderr } = spawnSync('npm', ['install', '--offline'], {
    cwd: folder.path,
    env,
    encoding: 'utf8',
  })
  return { status, said: stderr }
}

test('installing with an older Node.js prints no warning, because we ship our own', async () => {
  assert.match((await install({ quiet: false })).said, /EBADENGINE/)
  assert.deepEqual(await install({ quiet: true }), { status: 0, said: '' })
})
