import assert from 'node:assert/strict'
import { posix, win32 } from 'node:path'
import { test } from 'node:test'
import { suggestSlug } from '@masthead/contract/slugs.ts'
import { isInside, writtenFolder } from './paths.ts'

test('a link stays inside the folder on Windows too, drives and backslashes included', () => {
  const root = 'C:\\Users\\Ada\\site'
  for (const inside of [root, `${root}\\a`, `${root}\\a\\b`, `${root}\\..a`]) {
    assert.equal(isInside(root, inside, win32), true, inside)
  }
  for (const outside of [
    'C:\\Users\\Ada',
    'C:\\Users\\Ada\\site2',
    'D:\\Users\\Ada\\site',
    '\\\\host\\share\\a',
  ]) {
    assert.equal(isInside(root, outside, win32), false, outside)
  }
  assert.equal(isInside('/srv/site', '/srv/site/a', posix), true)
  assert.equal(isInside('/srv/site', '/srv/site/..', posix), false)
  assert.equal(isInside('/srv/site', '/srv/site2', posix), false)
})

test('a project file has slashes, so that it works on every system', () => {
  const cwd = 'C:\\Users\\Ada\\site'
  assert.equal(writtenFolder(cwd, 'dist\\web', win32), 'dist/web')
  assert.equal(writtenFolder(cwd, './dist/web/', win32), 'dist/web')
  assert.equal(writtenFolder(cwd, 'C:\\Users\\Ada\\out', win32), '../out')
  assert.equal(writtenFolder(cwd, '.', win32), '.')
  assert.equal(writtenFolder(cwd, 'D:\\out', win32), 'D:/out')
  assert.equal(win32.resolve(cwd, writtenFolder(cwd, 'dist\\web', win32)), `${cwd}\\dist\\web`)
  assert.equal(writtenFolder('/srv', 'a\\b', posix), 'a\\b', 'a backslash is part of a name elsewhere')
})

test('the name of a folder on a drive becomes a project, the drive itself does not', () => {
  assert.equal(suggestSlug(win32.basename('C:\\Users\\Ada\\My Site')), 'my-site')
  assert.equal(suggestSlug(win32.basename('C:\\')), null)
})
