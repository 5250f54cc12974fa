import { Problem } from '../problem.ts'
import { quoted } from './paths.ts'

/**
 * The paths of one deployment, as publishablePath returns them. Refuses a second file of the same path and a
 * path that would be a file and a folder at once. Case counts: URLs tell `/A` from `/a`.
 */
export class PathSet {
  readonly #files = new Set<string>()
  readonly #folders = new Set<string>()

  get size(): number {
    return this.#files.size
  }

  add(path: string): void {
    if (this.#files.has(path)) {
      throw new Problem('path_duplicate', `There is more than one file ${quoted(path)}.`)
    }
    if (this.#folders.has(path)) collide(path)
    this.#addParents(path)
    this.#files.add(path)
  }

  addFolder(path: string): void {
    if (this.#files.has(path)) collide(path)
    this.#addParents(path)
    this.#folders.add(path)
  }

  #addParents(path: string): void {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end)
      if (this.#folders.has(folder)) return
      if (this.#files.has(folder)) collide(folder)
      this.#folders.add(folder)
    }
  }
}

function collide(path: string): never {
  throw new Problem('path_collision', `${quoted(path)} is a file and a folder.`)
}
