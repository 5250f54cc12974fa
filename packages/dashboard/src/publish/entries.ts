import { isIgnored } from '@masthead/contract/ignored-files.ts'
import { SiteFault } from './site.ts'
import type { SiteFiles } from './site-files.ts'

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

/** What was dropped, as a browser gives it (FileSystemEntry of the File and Directory Entries API). */
export type Entry = FileEntry | FolderEntry

/** Takes what is dropped. Only while the event runs: afterwards a browser gives nothing. */
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
    entry.file(resolve, () =>
      reject(new SiteFault(`${entry.name} cannot be read.`, 'Check its permissions, then choose it again.')),
    )
  })
}

/** Adds every file below some entries that is meant for visitors. */
export async function addEntries(
  entries: readonly Entry[],
  files: SiteFiles,
  { signal, found }: { signal: AbortSignal; found: (files: number) => void },
): Promise<void> {
  await addBelow('', entries)

  async function addBelow(folder: string, some: readonly Entry[]): Promise<void> {
    signal.throwIfAborted()
    const wanted = some.filter(({ name, isDirectory }) => {
      const ignored = isIgnored(name, folder === '')
      if (ignored) files.leaveOut(`${folder}/${name}${isDirectory ? '/' : ''}`)
      return !ignored
    })
    const plain = wanted.filter((entry) => !entry.isDirectory)
    const opened = await Promise.all(plain.map(async (entry) => ({ entry, file: await fileOf(entry) })))
    for (const { entry, file } of opened) {
      files.add({ path: `${folder}/${entry.name}`, file, again: () => fileOf(entry) })
    }
    found(files.count)
    for (const entry of wanted) {
      if (!entry.isDirectory) continue
      files.enterFolder()
      for await (const inside of contentsOf(entry)) await addBelow(`${folder}/${entry.name}`, inside)
    }
  }
}

/** A reader gives a hundred at a time and ends with none: whoever asks once loses the rest. */
export async function* contentsOf(folder: FolderEntry): AsyncGenerator<Entry[], void> {
  const reader = folder.createReader()
  for (;;) {
    const some = await new Promise<Entry[]>((resolve, reject) => {
      reader.readEntries(resolve, () =>
        reject(new SiteFault(`The folder ${folder.name} cannot be read.`, 'Check its permissions.')),
      )
    })
    if (some.length === 0) return
    yield some
  }
}
