import { isIgnored, type UploadLimits } from '@masthead/contract/deployments.ts'
import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import { type FolderSite, SiteError, type SiteFile } from './site.ts'

/** Collects the files of a site and checks the server's limits before anything is uploaded. */
export class SiteFiles {
  readonly #limits: UploadLimits
  /** By their paths in NFC. */
  readonly #files = new Map<string, SiteFile>()
  readonly #leftOut = new Set<string>()
  #bytes = 0
  #folders = 0

  constructor(limits: UploadLimits) {
    this.#limits = limits
  }

  get count(): number {
    return this.#files.size
  }

  /** Folders count too, or a tree of empty ones would be read forever. */
  enterFolder(): void {
    if (++this.#folders > this.#limits.files) throw tooMany('folders', this.#limits)
  }

  leaveOut(path: string): void {
    this.#leftOut.add(path)
  }

  add(file: SiteFile): void {
    const path = file.path.normalize('NFC')
    const name = path.slice(1)
    const same = this.#files.get(path)
    if (same !== undefined) {
      const how = same.path === file.path ? '' : ', with different encodings of their accents'
      throw new SiteError(`Two files are named ${name}${how}.`, 'Rename one.')
    }
    const { bytesPerFile, bytesPerDeployment, files } = this.#limits
    const { size } = file.file
    if (size > bytesPerFile) {
      const fix = 'Make it smaller or leave it out, or ask the operator for a higher limit.'
      throw new SiteError(
        `${name} has ${formatBytes(size)}, but the limit per file is ${formatBytes(bytesPerFile)}.`,
        fix,
      )
    }
    this.#files.set(path, file)
    this.#bytes += size
    if (this.#files.size > files) throw tooMany('files', this.#limits)
    if (this.#bytes > bytesPerDeployment) {
      const most = formatBytes(bytesPerDeployment)
      throw new SiteError(`The site has more than ${most}, the limit per deployment.`, lessOrAsk)
    }
  }

  site(name: string | null): FolderSite {
    if (this.#files.size === 0) {
      const fix = 'Choose the folder that contains index.html. Hidden files and node_modules are left out.'
      throw new SiteError(`There is nothing to publish in ${name ?? 'your selection'}.`, fix)
    }
    const all = Array.from(this.#files, ([path, file]) => ({ ...file, path }))
    const files = all.sort((a, b) => (a.path < b.path ? -1 : 1))
    return { kind: 'folder', name, files, bytes: this.#bytes, leftOut: [...this.#leftOut].sort() }
  }
}

const lessOrAsk = 'Publish less, or ask the operator for a higher limit.'

function tooMany(what: 'files' | 'folders', { files }: UploadLimits): SiteError {
  const most = files.toLocaleString('en')
  return new SiteError(`The site has more than ${most} ${what}, the limit per deployment.`, lessOrAsk)
}

interface FileEntry {
  isDirectory: false
  name: string
  file(done: (file: File) => void, failed: (error: unknown) => void): void
}

interface FolderEntry {
  isDirectory: true
  name: string
  createReader(): { readEntries(done: (some: Entry[]) => void, failed: (error: unknown) => void): void }
}

/** A FileSystemEntry of the File and Directory Entries API. */
export type Entry = FileEntry | FolderEntry

/** Call it during the drop event: afterwards the browser returns nothing. */
export function droppedEntries(items: DataTransferItemList): Entry[] {
  return Array.from(items).flatMap((item) => {
    if (item.kind !== 'file') return []
    const entry = item.webkitGetAsEntry() as unknown as Entry | null
    if (entry !== null) return [entry]
    const file = item.getAsFile()
    return file === null ? [] : [entryOf(file)]
  })
}

export function entryOf(file: File): FileEntry {
  return { isDirectory: false, name: file.name, file: (done) => done(file) }
}

export function fileOf(entry: FileEntry): Promise<File> {
  return new Promise((resolve, reject) => {
    entry.file(resolve, () => reject(unreadable(entry)))
  })
}

/** Browsers leave out a name that is not UTF-8. */
function unreadable({ name, isDirectory }: Entry): SiteError {
  const what = isDirectory ? 'folder' : 'file'
  if (name === '')
    return new SiteError(`The name of a ${what} is not valid UTF-8.`, 'Rename it, then choose it again.')
  return new SiteError(`The ${what} ${name} cannot be read.`, 'Check its permissions, then choose it again.')
}

/** Adds all files below these entries, except ignored ones. */
export async function addEntries(
  entries: readonly Entry[],
  files: SiteFiles,
  { signal, found }: { signal: AbortSignal; found: (files: number) => void },
): Promise<void> {
  await addBelow('', entries)

  async function addBelow(folder: string, some: readonly Entry[]): Promise<void> {
    signal.throwIfAborted()
    const wanted = some.filter(({ name, isDirectory }) => {
      const ignored = isIgnored(name)
      if (ignored) files.leaveOut(`${folder}/${name}${isDirectory ? '/' : ''}`)
      return !ignored
    })
    const plain = wanted.filter((entry) => !entry.isDirectory)
    const opened = await Promise.all(plain.map(async (entry) => ({ entry, file: await fileOf(entry) })))
    for (const { entry, file } of opened) {
      files.add({ path: `${folder}/${entry.name}`, file, reopen: () => fileOf(entry) })
    }
    found(files.count)
    for (const entry of wanted) {
      if (!entry.isDirectory) continue
      files.enterFolder()
      for await (const inside of contentsOf(entry)) await addBelow(`${folder}/${entry.name}`, inside)
    }
  }
}

/** A reader returns at most 100 entries per call, and none at the end. */
export async function* contentsOf(folder: FolderEntry): AsyncGenerator<Entry[], void> {
  const reader = folder.createReader()
  for (;;) {
    const some = await new Promise<Entry[]>((resolve, reject) => {
      reader.readEntries(resolve, () => reject(unreadable(folder)))
    })
    if (some.length === 0) return
    yield some
  }
}
