import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createPublisher } from '@masthead/testing/clients/publisher.ts'
import { visit } from '@masthead/testing/clients/visit.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { commandLineProgram, programEnvironment } from '@masthead/testing/programs.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'

const files = 10_000

test('redeploying 10,000 unchanged files uploads none of them', async () => {
  await using masthead = await MastheadProcess.start()
  await using home = await temporaryFolder('masthead-redeploy')
  const { key } = await createPublisher(masthead)
  for (let folder = 0; folder < 100; folder++) {
    mkdirSync(join(home.path, 'site', String(folder)), { recursive: true })
    for (let file = 0; file < files / 100; file++) {
      writeFileSync(join(home.path, 'site', String(folder), `${file}.txt`), `file ${file} of ${folder}`)
    }
  }
  const env = { ...programEnvironment, HOME: home.path, MASTHEAD_SERVER: masthead.origin, MASTHEAD_KEY: key }
  const deploy = async () => {
    const args = [commandLineProgram, 'deploy', 'site', '--json']
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: home.path, env })
    return JSON.parse(stdout) as { files: number; uploaded: number; skipped: number }
  }
  const first = await deploy()
  assert.deepEqual([first.files, first.uploaded], [files, files])
  assert.equal((await visit(masthead, 'site', '/7/42.txt')).body, 'file 42 of 7')

  const again = await deploy()
  assert.deepEqual([again.files, again.uploaded, again.skipped], [files, 0, files])

  writeFileSync(join(home.path, 'site', '7', '42.txt'), 'changed')
  assert.equal((await deploy()).uploaded, 1)
  assert.equal((await visit(masthead, 'site', '/7/42.txt')).body, 'changed')
})
