import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { commandLineProgram } from '@masthead/testing/programs.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { type BenchPublisher, startPublisher } from './published-site.ts'
import { median, ratio, seconds, type Table, whole } from './report.ts'

const run = promisify(execFile)
const sizes = [1_000, 10_000]
const rounds = 3
const filesPerFolder = 100
/** What we promise for 10,000 files, compared to `cp -r` and `sync`. */
const promised = { files: 10_000, first: 6, unchanged: 2 }

interface Round {
  copy: number
  first: number
  unchanged: number
  packing: number
  archive: number
  /** As reported by the command line. */
  uploaded: { first: number; unchanged: number }
}

/** Publishes a folder with the command line, new and unchanged, and as an archive, compared to copying it. */
export async function measureDeploy(): Promise<Table> {
  // Removed at the end: for minutes after many files were deleted, ext4 creates new ones several times more slowly.
  await using folder = await temporaryFolder('masthead-deploy')
  const rows: string[][] = []
  const broken: string[] = []
  for (const files of sizes) {
    const measured: Round[] = []
    for (let round = 0; round < rounds; round++) {
      measured.push(await measureRound(files, join(folder.path, `${files}-${round}`)))
    }
    const middle = (value: (round: Round) => number) => median(measured.map(value))
    const copy = middle((round) => round.copy)
    const first = middle((round) => round.first)
    const unchanged = middle((round) => round.unchanged)
    const archive = middle((round) => round.archive)
    rows.push([
      whole(files),
      seconds(copy),
      `${seconds(first)} (${whole(middle(({ uploaded }) => uploaded.first))})`,
      ratio(first, copy),
      `${seconds(unchanged)} (${whole(middle(({ uploaded }) => uploaded.unchanged))})`,
      ratio(unchanged, copy),
      seconds(middle(({ packing }) => packing)),
      seconds(archive),
      ratio(archive, copy),
    ])
    if (files !== promised.files) continue
    if (first > promised.first * copy) broken.push(`A first deploy takes more than ${promised.first}× cp.`)
    if (unchanged > promised.unchanged * copy)
      broken.push(`An unchanged deploy takes more than ${promised.unchanged}× cp.`)
  }
  return {
    title: 'Deploying files of 4 KB',
    columns: [
      'files',
      'cp and sync',
      'first (uploaded)',
      'to cp',
      'unchanged (uploaded)',
      'to cp',
      'tar -czf',
      'tar.gz sent',
      'to cp',
    ],
    rows,
    notes: [
      '`masthead deploy` from start to exit, with the server on the same machine, and one POST of a tar.gz of other files.',
      `cp and sync: \`cp -r\` and \`sync -f\` of the same folder. Each figure is the median of ${rounds} rounds, each with a new server.`,
    ],
    broken,
  }
}

async function measureRound(files: number, folder: string): Promise<Round> {
  const site = join(folder, 'site')
  const other = join(folder, 'other')
  const archivePath = join(folder, 'other.tar.gz')
  await fill(site, files)
  await fill(other, files)
  const packing = await timed(() => run('tar', ['-czf', archivePath, '-C', other, '.']))
  await run('sync', ['-f', folder])
  const copy = await timed(async () => {
    await run('cp', ['-r', site, join(folder, 'copy')])
    await run('sync', ['-f', folder])
  })
  const sent = await measureArchive(archivePath, join(folder, 'archive-data'))
  await using publisher = await startPublisher({ dataFolder: join(folder, 'data') })
  await publisher.createProject('by-cli')
  // Node compiles the program once.
  await masthead(publisher, folder, ['projects'])
  const first = await timed(() => deploy(publisher, site, folder))
  const unchanged = await timed(() => deploy(publisher, site, folder))
  return {
    copy: copy.seconds,
    first: first.seconds,
    unchanged: unchanged.seconds,
    packing: packing.seconds,
    archive: sent.seconds,
    uploaded: { first: first.value, unchanged: unchanged.value },
  }
}

async function measureArchive(archive: string, dataFolder: string) {
  await using publisher = await startPublisher({ dataFolder })
  await publisher.createProject('by-archive')
  const bytes = new Uint8Array(await readFile(archive))
  return await timed(() => publisher.publishArchive('by-archive', bytes))
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
async function deploy(publisher: BenchPublisher, site: string, home: string): Promise<number> {
  const stdout = await masthead(publisher, home, ['deploy', site, '--project', 'by-cli', '--yes'])
  const { uploaded } = JSON.parse(stdout) as { uploaded?: number }
  if (uploaded === undefined)
    throw new Error(`masthead deploy --json did not say what it uploaded:\n${stdout}`)
  return uploaded
}

async function masthead({ masthead, key }: BenchPublisher, home: string, words: string[]): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: home, MASTHEAD_SERVER: masthead.origin, MASTHEAD_KEY: key }
  const options = { env, cwd: home, maxBuffer: 64 * 2 ** 20 }
  const { stdout } = await run(process.execPath, [commandLineProgram, ...words, '--json'], options)
  return stdout
}

async function timed<Value>(action: () => Promise<Value>): Promise<{ value: Value; seconds: number }> {
  const start = performance.now()
  const value = await action()
  return { value, seconds: (performance.now() - start) / 1000 }
}
