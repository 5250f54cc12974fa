import type { UploadLimits } from '@masthead/contract/upload-limits.ts'
import { fileSize } from '../ui/file-size.ts'
import { type FolderSite, SiteFault, type SiteFile } from './site.ts'

/** Gathers the files of a site, and refuses what the server would refuse before anything is sent. */
export class SiteFiles {
  readonly #limits: UploadLimits
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

  /** Folders count too: a tree of empty ones would be read for ever. */
  enterFolder(): void {
    if (++this.#folders > this.#limits.files) throw tooMany('folders', this.#limits)
  }

  leaveOut(path: string): void {
    this.#leftOut.add(path)
  }

  add(file: SiteFile): void {
    const path = file.path.normalize('NFC')
    const name = path.slice(1)
    if (this.#files.has(path)) {
      throw new SiteFault(`Two files are named ${name}, apart from how accents are written.`, 'Rename one.')
    }
    const { bytesPerFile, bytesPerDeployment, files } = this.#limits
    const { size } = file.file
    if (size > bytesPerFile) {
      const fix = 'Make it smaller or leave it out, or ask the operator for a higher limit.'
      throw new SiteFault(`${name} has ${fileSize(size)}; a file may have ${fileSize(bytesPerFile)}.`, fix)
    }
    this.#files.set(path, { ...file, path })
    this.#bytes += size
    if (this.#files.size > files) throw tooMany('files', this.#limits)
    if (this.#bytes > bytesPerDeployment) {
      const most = fileSize(bytesPerDeployment)
      throw new SiteFault(`There is more than ${most}, the most that one version may have.`, lessOrAsk)
    }
  }

  site(name: string | null): FolderSite {
    if (this.#files.size === 0) {
      const fix = 'Choose the folder that holds index.html. Hidden files and node_modules are left out.'
      throw new SiteFault(`There is nothing to publish in ${name ?? 'what was dropped'}.`, fix)
    }
    const files = [...this.#files.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
    return { kind: 'folder', name, files, bytes: this.#bytes, leftOut: [...this.#leftOut].sort() }
  }
}

const lessOrAsk = 'Publish less, or ask the operator for a higher limit.'

function tooMany(what: 'files' | 'folders', { files }: UploadLimits): SiteFault {
  const most = files.toLocaleString('en')
  return new SiteFault(`There are more than ${most} ${what}, the most that one version may have.`, lessOrAsk)
}
