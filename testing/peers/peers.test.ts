import assert from 'node:assert/strict'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, test } from 'node:test'
import { temporaryFolder } from '../temporary-folder.ts'
import { findPeer, requirePeer, skipWithout } from './peers.ts'

const { PATH, CI } = process.env

afterEach(() => {
  process.env.PATH = PATH
  if (CI === undefined) delete process.env.CI
  else process.env.CI = CI
})

test('a program on the PATH is found, and a file that cannot be run is not', async () => {
  await using folder = await temporaryFolder()
  process.env.PATH = folder.path
  const program = join(folder.path, 'wrk')
  await writeFile(program, '#!/bin/sh\n', { mode: 0o644 })
  assert.equal(findPeer('wrk'), null)
  await chmod(program, 0o755)
  assert.equal(findPeer('wrk'), program)
})

test('a missing peer skips its tests with the reason', async () => {
  await using folder = await temporaryFolder()
  process.env.PATH = folder.path
  delete process.env.CI
  assert.equal(skipWithout('wrk', 'curl'), 'not installed: wrk, curl')
})

test('a missing peer fails in CI instead of being skipped', async () => {
  await using folder = await temporaryFolder()
  process.env.PATH = folder.path
  process.env.CI = 'true'
  assert.equal(skipWithout('wrk'), false)
  assert.throws(() => requirePeer('wrk'), /wrk is needed here/)
})

test('where a program has no package, another one that does the same is found', async () => {
  await using folder = await temporaryFolder()
  process.env.PATH = folder.path
  assert.equal(findPeer('chromium'), null)
  const [full, shell] = [join(folder.path, 'chromium'), join(folder.path, 'chromium-headless-shell')]
  await writeFile(full, '#!/bin/sh\n', { mode: 0o755 })
  assert.equal(findPeer('chromium'), full)
  await writeFile(shell, '#!/bin/sh\n', { mode: 0o755 })
  assert.equal(findPeer('chromium'), shell)
})
