import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts'

/** A new file with this content; `await using` removes it at the end of the block. */
export async function temporaryFile(name: string, content: string): Promise<TemporaryFolder> {
  const folder = await temporaryFolder()
  const path = join(folder.path, name)
  await writeFile(path, content)
  return { ...folder, path }
}
