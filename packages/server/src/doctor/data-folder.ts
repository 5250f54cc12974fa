import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { access, lstat, open, readdir, readFile, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { DoctorFinding } from '@masthead/contract/schemas/operator.ts'
import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import { formatList } from '../kernel/english.ts'
import { describeError, ok, problem, skipped, warning } from './check.ts'

const others = 0o077
const secretFiles = [
  'master.key',
  'operator.key',
  'masthead.db',
  'masthead.db-wal',
  'masthead.db-shm',
  'blobs',
]

interface FileFacts {
  path: string
  mode: number
  uid: number
}

/** Who else can read the data, its keys and its database. */
export async function checkPermissions(
  folder: string,
  moreSecrets: readonly string[],
): Promise<DoctorFinding[]> {
  const paths = [folder, ...secretFiles.map((name) => join(folder, name)), ...moreSecrets]
  const found: FileFacts[] = []
  for (const path of paths) {
    const stats = await lstat(path).catch(nullIfMissing)
    if (stats !== null && !stats.isSymbolicLink()) found.push({ path, mode: stats.mode, uid: stats.uid })
  }
  if (found[0]?.path !== folder) return [skipped(`${folder} does not exist yet. The first start creates it.`)]
  return judgePermissions(found, process.getuid?.() ?? 0)
}

export function judgePermissions(files: readonly FileFacts[], uid: number): DoctorFinding[] {
  const open = files.filter(({ mode }) => (mode & others) !== 0).map(({ path }) => path)
  const foreign = files.filter((file) => uid !== 0 && file.uid !== uid).map(({ path }) => path)
  const findings: DoctorFinding[] = []
  if (open.length > 0)
    findings.push(
      problem(
        `Other users of this machine can access ${formatList(open)}.`,
        `Run: chmod go= ${open.join(' ')}`,
      ),
    )
  if (foreign.length > 0)
    findings.push(
      problem(
        `${formatList(foreign)} ${foreign.length === 1 ? 'belongs' : 'belong'} to another user.`,
        'Run this as the user of the server, or give the data folder to it (chown -R).',
      ),
    )
  return findings.length > 0 ? findings : [ok('Only the owner can access the data folder.')]
}

export interface DiskFacts {
  freeBytes: number
  /** Null where the file system does not count them. */
  freeFiles: number | null
}

const fewBytes = 5 * 1000 ** 3
const fewFiles = 50_000

export async function checkDisk(folder: string, largestDeployment: number): Promise<DoctorFinding[]> {
  const { bavail, bsize, files, ffree } = await statfs(await existingPart(folder))
  return judgeDisk({ freeBytes: bavail * bsize, freeFiles: files === 0 ? null : ffree }, largestDeployment)
}

export function judgeDisk({ freeBytes, freeFiles }: DiskFacts, largestDeployment: number): DoctorFinding[] {
  const left = `${formatBytes(freeBytes)} of disk space left`
  const fix = 'Free disk space, or move MASTHEAD_DATA to a larger disk.'
  const findings: DoctorFinding[] = []
  if (freeBytes < largestDeployment)
    findings.push(problem(`Only ${left}, less than one deployment may need.`, fix))
  else if (freeBytes < fewBytes) findings.push(warning(`Only ${left}.`, fix))
  if (freeFiles !== null && freeFiles < fewFiles)
    findings.push(
      warning(
        `The file system has room for only ${freeFiles.toLocaleString('en')} more files (inodes).`,
        fix,
      ),
    )
  return findings.length > 0 ? findings : [ok(`${left}.`)]
}

/** Before the first start, what counts is the disk that the folder will be on. */
async function existingPart(folder: string): Promise<string> {
  for (let path = folder; ; path = join(path, '..')) {
    if ((await lstat(path).catch(nullIfMissing)) !== null || join(path, '..') === path) return path
  }
}

/** Writes, reads, lists and deletes a file where published files are. */
export async function checkFileStore(folder: string): Promise<DoctorFinding> {
  const blobs = join(folder, 'blobs')
  const base = (await lstat(blobs).catch(nullIfMissing)) === null ? folder : blobs
  if ((await lstat(base).catch(nullIfMissing)) === null) return checkParent(folder)
  const name = `doctor-${randomBytes(6).toString('hex')}`
  const path = join(base, name)
  const content = randomBytes(32).toString('hex')
  try {
    await using file = await open(path, 'wx', 0o600)
    await file.writeFile(content)
    await file.sync()
    if ((await readFile(path, 'utf8')) !== content || !(await readdir(base)).includes(name)) {
      return problem(`A file written to ${base} did not come back the same.`, 'Check the disk.')
    }
    return ok(`Files can be written to ${base}.`)
  } catch (error) {
    const fix =
      'Give the folder to the user of the server (chown -R), and check that its disk is not full or read-only.'
    return problem(`Files cannot be written: ${describeError(error)}.`, fix)
  } finally {
    await rm(path, { force: true }).catch(() => {})
  }
}

/** Whether the first start can create the folder. */
async function checkParent(folder: string): Promise<DoctorFinding> {
  const parent = await existingPart(folder)
  try {
    await access(parent, constants.W_OK | constants.X_OK)
    return skipped(`${folder} does not exist yet. The first start creates it.`)
  } catch (error) {
    return problem(
      `${folder} does not exist, and cannot be created in ${parent}: ${describeError(error)}.`,
      'Create it and give it to the user of the server (chown), or set MASTHEAD_DATA to another folder.',
    )
  }
}

function nullIfMissing(error: NodeJS.ErrnoException): Stats & null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null as never
  throw error
}
