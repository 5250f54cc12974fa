import assert from 'node:assert/strict'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { serverForFile } from '../../test/test-server.ts'
import { createWorkplace } from '../../test/workplace.ts'

const server = serverForFile()

/** What another program does to a file or to the folder that it is in. */
const changes = [
  (file: string) => rm(file),
  (file: string) => rm(file).then(() => mkdir(file)),
  (file: string) => rename(dirname(file), `${dirname(file)}.old`),
  (file: string) => rename(dirname(file), `${dirname(file)}.old`).then(() => writeFile(dirname(file), '')),
]

const large = 'x'.repeat(2 * 1024 ** 2)

for (const moment of ['createProject', 'createDeployment'] as const) {
  test(`a deploy says that the folder changed before it was ${moment === 'createProject' ? 'read' : 'sent'}`, async () => {
    for (const content of ['small', large]) {
      for (const change of changes) {
        await using place = await createWorkplace(server(), { 'site/docs/a.html': content })
        place.proxy.before[moment] = () => change(join(place.path, 'site/docs/a.html'))
        const { exitCode, stdout, stderr } = await place.run('deploy site')
        assert.deepEqual([exitCode, stdout], [1, ''], stderr)
        assert.match(
          stderr,
          /^The folder changed while it was being read: docs\/a\.html was removed or replaced\.\nRun the command again when/m,
          `${change} ${content.length}`,
        )
        assert.equal(place.proxy.count('finalizeDeployment'), 0)
      }
    }
  })
}
