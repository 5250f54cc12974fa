import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { startPublisher } from '../published-site.ts'
import { compressLikeMasthead } from './mixed/compressed-forms.ts'
import { folderOf, type MixedFile, makeMixedSites, mixedHosts } from './mixed/sites.ts'

/** The site of the measurements with one file. */
export const host = 'bench.masthead.localhost'
export const hosts = [host, ...mixedHosts]

/** Random digits: they compress little, and the clients here accept no compression. */
export const singleFiles = [
  { name: '4 KB', path: '/small.css', bytes: 4096 },
  { name: '64 KB', path: '/large.css', bytes: 65_536 },
  { name: '10 MB', path: '/huge.bin', bytes: 10_000_000 },
] as const

export interface PreparedSites extends AsyncDisposable {
  /** A folder for each site, with compressed forms beside the files. */
  root: string
  /** Masthead's data, with all sites published. */
  dataFolder: string
  mixedFiles: MixedFile[]
}

const repository = fileURLToPath(new URL('../../', import.meta.url))
/** What decides how the prepared files look. A newer server can always read older data, unless its tables have changed. */
const madeBy = [
  'bench/edge/mixed/sites.ts',
  'bench/edge/prepared-sites.ts',
  'packages/server/src/database/migrations/*.ts',
]

/**
 * All sites, published. Masthead compresses in the background and leaves time for others, so that this takes a minute and
 * a half; it is done once and copied from then on.
 */
export async function copyPreparedSites(): Promise<PreparedSites> {
  const sources = globSync(madeBy, { cwd: repository })
    .filter((file) => !/\.test(-kit)?\.ts$/.test(file))
    .sort()
  const key = createHash('sha256')
  for (const file of sources) key.update(readFileSync(join(repository, file)))
  const kept = join(repository, 'node_modules/.cache', `bench-${key.digest('hex').slice(0, 16)}`)
  if (!existsSync(kept)) await prepare(kept)
  const copy = await temporaryFolder('masthead-bench')
  await cp(kept, copy.path, { recursive: true })
  return {
    root: join(copy.path, 'sites'),
    dataFolder: join(copy.path, 'data'),
    mixedFiles: JSON.parse(await readFile(join(copy.path, 'files.json'), 'utf8')) as MixedFile[],
    [Symbol.asyncDispose]: copy.remove,
  }
}

async function prepare(kept: string): Promise<void> {
  const unfinished = `${kept}.${process.pid}`
  const [root, dataFolder] = [join(unfinished, 'sites'), join(unfinished, 'data')]
  const single = folderOf(root, host)
  await mkdir(single, { recursive: true })
  await writeFile(join(single, 'index.html'), 'Benchmarks')
  for (const { path, bytes } of singleFiles)
    await writeFile(join(single, path), randomBytes(bytes / 2).toString('hex'))
  const mixedFiles = await makeMixedSites(root)
  await writeFile(join(unfinished, 'files.json'), JSON.stringify(mixedFiles))
  {
    await mkdir(dataFolder)
    await using publisher = await startPublisher({ dataFolder })
    for (const each of hosts) {
      const folder = folderOf(root, each)
      const packed = await promisify(execFile)('tar', ['-czf', '-', '-C', folder, '.'], {
        encoding: 'buffer',
        maxBuffer: 2 ** 30,
      })
      const slug = each.split('.', 1)[0] ?? ''
      await publisher.createProject(slug)
      await publisher.publishArchive(slug, new Uint8Array(packed.stdout))
    }
    await compressLikeMasthead(publisher.masthead.httpPort, root, mixedFiles)
  }
  await rename(unfinished, kept)
}
