import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface TemporaryFolder extends AsyncDisposable {
  path: string
  remove(): Promise<void>
}

/** A new empty folder; `await using` removes it at the end of the block. */
export async function temporaryFolder(name = 'masthead', parent = tmpdir()): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(parent, `${name}-`))
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 3 })
  return { path, remove, [Symbol.asyncDispose]: remove }
}

/** Where temporary files are on a disk even while a whole run keeps its own in memory. */
export const diskForTests = process.env.MASTHEAD_TEST_DISK ?? tmpdir()

/** Linux keeps this folder in memory. Containers often get one that is too small. */
const sharedMemory = { path: '/dev/shm', enough: 4 * 1024 ** 3 }

/** A new empty folder that is in memory if there is room: copying a database costs a fifth of what it does on a disk. */
export async function folderInMemory(name: string): Promise<TemporaryFolder> {
  const { path, enough } = sharedMemory
  const room = await statfs(path).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  return temporaryFolder(name, room < enough ? undefined : path)
}

/** A new file with this content; `await using` removes it at the end of the block. */
export async function temporaryFile(name: string, content: string): Promise<TemporaryFolder> {
  const folder = await temporaryFolder()
  const path = join(folder.path, name)
  await writeFile(path, content)
  return { ...folder, path }
}
