import { type Dirent, type Stats, statSync } from 'node:fs'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isIgnored, type UploadLimits } from '@masthead/contract/deployments.ts'
import { CommandError } from '../errors/command-error.ts'
import { isInside } from '../project/paths.ts'
import { CachedDisk } from './cached-disk.ts'
import { throwReadError } from './changed-folder.ts'
import { FolderSize } from './folder-size.ts'

export interface FoundFile {
  /** The URL path: `/docs/index.html`. */
  path: string
  /** The path on this machine. */
  location: string
  size: number
  /** Of the file itself, not of a link to it. */
  stats: Pick<Stats, 'mtimeMs' | 'ctimeMs' | 'ino'>
  /** Set if it is not read from the disk. */
  content?: Buffer<ArrayBuffer>
}

/**
 * Every file to publish, sorted by path. Links inside the folder are followed. A link that points outside could
 * publish anything on this machine, and one to a parent folder would never end.
 */
export async function listFolder(
  folder: string,
  limits: UploadLimits | Promise<UploadLimits>,
  /** Called with each ignored path: `/.env`, or a folder as `/.git/`. */
  leavesOut: (path: string) => void = () => {},
): Promise<FoundFile[]> {
  const size = new FolderSize(limits)
  const root = await realpath(folder).catch((error) => throwReadError(folder, error))
  const files = new Map<string, FoundFile>()
  const disk = new CachedDisk()

  /** `location` and those above it have no links in them. */
  async function visit(location: string, path: string, above: readonly string[]): Promise<void> {
    await size.addFolder()
    const inside = [...above, location]
    const entries = await readdir(location, { withFileTypes: true }).catch((error) =>
      path === '' ? throwReadError(folder, error) : throwReadError(path.slice(1), error, 'The folder '),
    )
    disk.startTurn()
    const wanted = entries.filter((entry) => {
      const ignored = isIgnored(entry.name)
      if (ignored) leavesOut(`${path}/${entry.name}${entry.isDirectory() ? '/' : ''}`)
      return !ignored
    })
    const inspected = wanted.map((entry) => inspectEntry(disk, entry, location, `${path}/${entry.name}`))
    const isWaiting = inspected.some((entry) => entry instanceof Promise)
    // Waiting for each of thousands would take longer than listing them.
    const found = isWaiting ? await Promise.all(inspected) : (inspected as Found[])
    for (const { location, path, stats, target } of found) {
      if (target !== null) rejectOutsideLink(path, target, root, stats.isDirectory() ? inside : [])
      if (stats.isDirectory()) await visit(target ?? location, path, inside)
      else if (stats.isFile()) {
        const { size, mtimeMs, ctimeMs, ino } = stats
        add({ path: path.normalize('NFC'), location, size, stats: { mtimeMs, ctimeMs, ino } })
      } else
        throw refused(
          'entry_unsupported',
          `${path.slice(1)} is neither a file nor a folder.`,
          'Move it out of the folder.',
        )
    }
  }

  function add(file: FoundFile): void {
    if (files.has(file.path)) {
      const message = `Two files are named ${file.path.slice(1)}: their names differ only in how accents are written.`
      throw refused('path_duplicate', message, 'Rename one of them.')
    }
    files.set(file.path, file)
    size.addFile(file)
  }

  await visit(root, '', [])
  await size.finish()
  return [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

interface Found {
  location: string
  path: string
  stats: Stats
  /** The target of a link; null for anything else. */
  target: string | null
}

/** Returns a promise only if it has to wait. */
function inspectEntry(disk: CachedDisk, entry: Dirent, parent: string, path: string): Found | Promise<Found> {
  const location = join(parent, entry.name)
  const fail = (error: unknown) => throwUninspectable(entry, path, error)
  if (entry.isSymbolicLink()) {
    return Promise.all([realpath(location), stat(location)]).then(
      ([target, stats]) => ({ location, path, stats, target }),
      // Whether it is broken, or gone itself.
      (error) =>
        lstat(location).then(
          () => fail(error),
          (gone) => throwReadError(path.slice(1), gone),
        ),
    )
  }
  try {
    const stats = disk.ask(
      () => statSync(location),
      () => stat(location),
    )
    if (!(stats instanceof Promise)) return { location, path, stats, target: null }
    return stats.then((stats) => ({ location, path, stats, target: null }), fail)
  } catch (error) {
    return fail(error)
  }
}

function throwUninspectable(entry: Dirent, path: string, error: unknown): never {
  const { code } = error as NodeJS.ErrnoException
  // Node.js reads each byte that is not UTF-8 as this character, and then finds no file of that name.
  if (code === 'ENOENT' && entry.name.includes('\uFFFD')) {
    const message = `The name of ${path.slice(1)} is not written in UTF-8, as addresses are.`
    throw refused('name_invalid', message, 'Rename it.')
  }
  if (code === 'ELOOP')
    throw refused('link_refused', `The link ${path.slice(1)} points to itself.`, 'Remove it.')
  if (code === 'ENOENT' && entry.isSymbolicLink()) {
    throw refused('link_refused', `The link ${path.slice(1)} is broken.`, 'Fix or remove it.')
  }
  throwReadError(path.slice(1), error)
}

function rejectOutsideLink(path: string, target: string, root: string, above: readonly string[]): void {
  if (!isInside(root, target)) {
    const message = `The link ${path.slice(1)} points outside the folder, to ${target}.`
    throw refused('link_refused', message, 'Replace it with a copy of its target.')
  }
  if (above.includes(target)) {
    const message = `The link ${path.slice(1)} points to a folder that contains it.`
    throw refused('link_refused', message, 'Remove it.')
  }
}

function refused(code: string, message: string, fix: string): CommandError {
  return new CommandError(code, message, fix)
}
