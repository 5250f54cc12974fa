import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverForFile } from '../test/test-server.ts'
import { createWorkplace } from '../test/workplace.ts'

const server = serverForFile()

test('a build that removes the folder that the person is in is told from a failure', {
  skip: process.platform === 'win32' ? 'no folder in use can be removed' : false,
}, async () => {
  await using place = await createWorkplace(server(), { 'dist/index.html': 'hi' })
  const rebuild = 'cd dist && rm -r ../dist && mkdir ../dist && echo new > ../dist/index.html'
  const under = (then: string) => ['sh', '-c', `${rebuild} && ${then}"$@"`, 'sh']
  const { exitCode, stdout, stderr } = await place.run('deploy', { under: under('') })
  assert.deepEqual([exitCode, stdout], [1, ''])
  assert.equal(
    stderr,
    'The current folder was removed or replaced while your shell was in it.\nEnter it again with `cd "$PWD"`, then repeat the command.\n',
  )
  const again = await place.run('deploy', { under: under('cd "$PWD" && ') })
  assert.equal(again.exitCode, 0, again.stderr)
  assert.equal((await place.run('--version', { under: under('') })).exitCode, 0)
})
