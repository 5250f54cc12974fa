import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface TemporaryFolder extends AsyncDisposable {
  path: string
  remove(): Promise<void>
}

/** A new empty folder; `await using` removes it at the end of the block. */
export async function temporaryFolder(name = 'masthead'): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), `${name}-`))
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 3 })
  return { path, remove, [Symbol.asyncDispose]: remove }
}

/** A new file with this content; `await using` removes it at the end of the block. */
export async function temporaryFile(name: string, content: string): Promise<TemporaryFolder> {
  const folder = await temporaryFolder()
  const path = join(folder.path, name)
  await writeFile(path, content)
  return { ...folder, path }
}
