import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { packTar } from '@masthead/client/upload.ts'

/** Writes the files of a package into a folder, and beside them the archive that npm installs. */
export async function writePackage(
  folder: string,
  archive: string,
  files: ReadonlyMap<string, string | Uint8Array>,
): Promise<void> {
  const packed = [...files].map(([name, content]) => ({
    // npm drops the first folder of every archive.
    name: `package/${name}`,
    content: Buffer.from(content),
  }))
  await Promise.all([...files].map(([name, content]) => writeFile(join(folder, name), content)))
  // In one step: a running server may be restarting.
  await writeFile(join(folder, `${archive}.new`), await compress(packTar(packed)))
  await rename(join(folder, `${archive}.new`), join(folder, archive))
}

/** The same bytes on every machine: compressed ones depend on the processor, and the header on the system. */
async function compress(tar: Uint8Array): Promise<Buffer> {
  const archive = await promisify<Uint8Array, { level: number }, Buffer>(gzip)(tar, {
    level: constants.Z_NO_COMPRESSION,
  })
  const unknownSystem = 255
  archive[9] = unknownSystem
  return archive
}
