import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { type BenchPublisher, startPublisher } from './published-site.ts'
import { ratio, seconds, type Table, whole } from './report.ts'

const run = promisify(execFile)
const cli = fileURLToPath(new URL('../packages/cli/bin/masthead.js', import.meta.url))
const sizes = [1_000, 10_000]
const filesPerFolder = 100

/** Publishes a folder with the command line, new and unchanged, compared to copying it and to sending an archive. */
export async function measureDeploy(): Promise<Table> {
  const rows: string[][] = []
  for (const files of sizes) {
    await using folder = await temporaryFolder('masthead-deploy')
    await using publisher = await startPublisher()
    const site = join(folder.path, 'site')
    await fill(site, files)

    await publisher.createProject('by-cli')
    const first = await timed(() => deploy(publisher, site, folder.path))
    const unchanged = await timed(() => deploy(publisher, site, folder.path))
    const copy = await timed(async () => {
      await run('cp', ['-r', site, join(folder.path, 'copy')])
      await run('sync', ['-f', folder.path])
    })
    await publisher.createProject('by-archive')
    const archive = join(folder.path, 'site.tar.gz')
    const sent = await timed(async () => {
      await run('tar', ['-czf', archive, '-C', site, '.'])
      await publisher.publishArchive('by-archive', new Uint8Array(await readFile(archive)))
    })
    rows.push([
      whole(files),
      `${seconds(first.seconds)} (${whole(first.value)})`,
      `${seconds(unchanged.seconds)} (${whole(unchanged.value)})`,
      ratio(unchanged.seconds, first.seconds),
      seconds(sent.seconds),
      seconds(copy.seconds),
    ])
  }
  return {
    title: 'Deploying files of 4 KB',
    columns: [
      'files',
      'first (uploaded)',
      'unchanged (uploaded)',
      'unchanged to first',
      'tar.gz',
      'cp and sync',
    ],
    rows,
    notes: [
      '`masthead deploy` from start to exit, with the server on the same machine. tar.gz: packing it and one POST.',
      'cp and sync: what the disk alone needs for the same folder.',
    ],
  }
}

async function fill(site: string, files: number): Promise<void> {
  for (let start = 0; start < files; start += filesPerFolder) {
    const folder = join(site, `part-${start / filesPerFolder}`)
    await mkdir(folder, { recursive: true })
    const names = Array.from(
      { length: Math.min(filesPerFolder, files - start) },
      (_, index) => `page-${index}.html`,
    )
    await Promise.all(names.map((name) => writeFile(join(folder, name), randomBytes(2048).toString('hex'))))
  }
}

/** How many files the command line reports as uploaded. */
async function deploy({ masthead, key }: BenchPublisher, site: string, home: string): Promise<number> {
  const args = [cli, 'deploy', site, '--project', 'by-cli', '--json', '--yes']
  const env = { PATH: process.env.PATH, HOME: home, MASTHEAD_SERVER: masthead.origin, MASTHEAD_KEY: key }
  const { stdout } = await run(process.execPath, args, { env, cwd: home, maxBuffer: 64 * 2 ** 20 })
  const { uploaded } = JSON.parse(stdout) as { uploaded?: { files?: number } | number }
  const files = typeof uploaded === 'number' ? uploaded : uploaded?.files
  if (files === undefined) throw new Error(`masthead deploy --json did not say what it uploaded:\n${stdout}`)
  return files
}

async function timed<Value>(action: () => Promise<Value>): Promise<{ value: Value; seconds: number }> {
  const start = performance.now()
  const value = await action()
  return { value, seconds: (performance.now() - start) / 1000 }
}
