import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { readGit } from './git.ts'
import { goesLive, readMetadata } from './read-metadata.ts'

const base = {
  PATH: process.env.PATH,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada Lovelace',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
}

async function repository() {
  const folder = await temporaryFolder('masthead-git')
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: folder.path, env: base, encoding: 'utf8' })
  git('init', '--quiet', '--initial-branch=feature/login')
  await mkdir(join(folder.path, 'dist'))
  await writeFile(join(folder.path, 'dist/index.html'), 'hello')
  return {
    path: folder.path,
    dist: join(folder.path, 'dist'),
    git,
    [Symbol.asyncDispose]: () => folder.remove(),
  }
}

test('git names commit, branch, author, message and repository of a folder', async () => {
  await using place = await repository()
  assert.deepEqual(
    await readMetadata(place.dist, base, {}),
    { meta: {}, isPullRequest: false, isTag: false },
    'no commit yet',
  )
  place.git('add', '.')
  place.git('commit', '--quiet', '-m', 'Fix the header\n\nIt was off.')
  place.git('remote', 'add', 'origin', 'https://ada:secret@git.example/acme/site.git')
  const commit = place.git('rev-parse', 'HEAD').trim()
  const meta = {
    message: 'Fix the header',
    commit,
    branch: 'feature/login',
    repository: 'https://git.example/acme/site',
    author: 'Ada Lovelace',
  }
  const productionBranch = 'feature/login'
  const [isPullRequest, isTag] = [false, false]
  assert.deepEqual(await readMetadata(place.dist, base, {}), { meta, isPullRequest, isTag, productionBranch })
  place.git('update-ref', 'refs/remotes/origin/trunk', 'HEAD')
  place.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk')
  assert.equal((await readMetadata(place.dist, base, {})).productionBranch, 'trunk')

  const values = { message: 'By hand', branch: 'other', author: '', 'pull-request': '12' }
  const overridden = await readMetadata(place.dist, base, values)
  assert.deepEqual(overridden.meta, {
    ...meta,
    message: 'By hand',
    branch: 'other',
    author: '',
    pullRequest: '12',
  })
  const alone = await readMetadata(place.dist, base, { 'no-git': true, message: 'By hand' })
  assert.deepEqual(alone, { meta: { message: 'By hand' }, isPullRequest, isTag })

  const pipeline = { ...base, GITLAB_CI: 'true', CI_COMMIT_TAG: 'v1', CI_COMMIT_SHA: 'c0ffee' }
  const tagged = { ...meta, branch: 'tags/v1', commit: 'c0ffee' }
  const fromTag = await readMetadata(place.dist, pipeline, {})
  assert.deepEqual(fromTag, { meta: tagged, isPullRequest, isTag: true, productionBranch: 'trunk' })
  assert.equal((await readMetadata(place.dist, pipeline, { branch: 'trunk' })).isTag, false)
  await assert.rejects(readMetadata(place.dist, base, { message: 'x'.repeat(501) }), /--message is too long/)
})

test('a detached head has no branch, and a hook of another repository does not mislead', async () => {
  await using place = await repository()
  place.git('commit', '--quiet', '--allow-empty', '-m', 'One')
  place.git('checkout', '--quiet', '--detach')
  const { meta } = await readMetadata(place.dist, { ...base, GIT_DIR: '/nowhere/.git' }, {})
  assert.deepEqual([meta.message, meta.branch], ['One', undefined])
})

test('no git, no repository, a broken one, or one that hangs: nothing is known', async () => {
  await using folder = await temporaryFolder('masthead-git')
  assert.deepEqual(await readGit(folder.path, base), {})
  assert.deepEqual(await readGit(folder.path, base, join(folder.path, 'missing')), {})
  const slow = join(folder.path, 'slow')
  await writeFile(slow, '#!/bin/sh\nexec sleep 60\n')
  await chmod(slow, 0o755)
  assert.deepEqual(await readGit(folder.path, base, slow), {})
  const chatty = join(folder.path, 'chatty')
  await writeFile(chatty, '#!/bin/sh\nexec yes\n')
  await chmod(chatty, 0o755)
  assert.deepEqual(await readGit(folder.path, base, chatty), {})
  await writeFile(join(folder.path, '.git'), 'gitdir: /nowhere\n')
  assert.deepEqual(await readGit(folder.path, base), {})
})

test('a repository cannot run programs through its settings', async () => {
  await using place = await repository()
  place.git('commit', '--quiet', '--allow-empty', '-m', 'One')
  const trap = join(place.path, 'trap')
  const sprung = join(place.path, 'sprung')
  await writeFile(trap, `#!/bin/sh\ntouch '${sprung}'\ncat\n`)
  await chmod(trap, 0o755)
  for (const setting of [
    'core.fsmonitor',
    'core.pager',
    'pager.log',
    'gpg.program',
    'core.editor',
    'diff.external',
  ])
    place.git('config', setting, trap)
  place.git('config', 'log.showSignature', 'true')
  for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change']) {
    await writeFile(join(place.path, '.git/hooks', hook), `#!/bin/sh\ntouch '${sprung}'\n`, { mode: 0o755 })
  }
  assert.equal((await readGit(place.dist, base)).message, 'One')
  await assert.rejects(chmod(sprung, 0o600), { code: 'ENOENT' })
})

test('the production branch goes live, a pull request never, and the first deployment from any branch', () => {
  assert.equal(goesLive({}, 'main'), true)
  assert.equal(goesLive({ branch: '' }, 'main'), true)
  assert.equal(goesLive({ branch: 'main' }, 'main'), true)
  assert.equal(goesLive({ branch: 'Main' }, 'main'), false)
  assert.equal(goesLive({ branch: 'main', pullRequest: 12 }, 'main'), false)
  assert.equal(goesLive({ branch: 'x' }, undefined), true)
  assert.equal(goesLive({ branch: 'x', pullRequest: 12 }, undefined), false)
})
