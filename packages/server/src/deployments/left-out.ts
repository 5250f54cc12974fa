import { ignoredPart } from '@masthead/contract/deployments.ts'
import type { LeftOut } from '@masthead/contract/schemas/deployment.ts'
import { Problem } from '../kernel/problem.ts'

const maxNamed = 20
const maxNameLength = 200

/** Files that were sent but are not published. Names are as sent, unchecked. */
export class LeftOutFiles {
  readonly #parts = new Map<string, number>()
  /** Files beyond the named ones. */
  #others = 0

  /** Counts an entry that must not be published and returns true, else false. Names of folders end with a slash. */
  leaveOut(name: string): boolean {
    const isFolder = name.endsWith('/')
    const part = ignoredPartOf(isFolder ? name.slice(0, -1) : name)
    if (part === null) return false
    if (!isFolder) this.#count(part)
    return true
  }

  #count(part: string): void {
    const counted = this.#parts.get(part)
    if (counted === undefined && this.#parts.size === maxNamed) this.#others++
    else this.#parts.set(part, (counted ?? 0) + 1)
  }

  /** As shown by the API, with paths relative to the site's folder (`/` or `/site/`). */
  below(root: string): LeftOut {
    let files = this.#others
    const paths: string[] = []
    for (const [part, count] of this.#parts) {
      files += count
      paths.push(printable(part.startsWith(root) ? part.slice(root.length - 1) : part))
    }
    return { files, paths: paths.sort() }
  }
}

/** Null if it is published, or not a plain path. Whether that is refused is decided elsewhere. */
function ignoredPartOf(name: string): string | null {
  const bare = name.startsWith('./') ? name.slice(2) : name.startsWith('/') ? name.slice(1) : name
  const part = ignoredPart(`/${bare}`)
  const isPlain = () => bare.split('/').every((one) => one !== '' && one !== '.' && one !== '..')
  return part !== null && isPlain() ? part : null
}

function printable(path: string): string {
  const shown = path.toWellFormed().replaceAll(/\p{Cc}/gu, '\ufffd')
  return shown.length > maxNameLength ? `${shown.slice(0, maxNameLength)}…` : shown
}

export function deploymentEmpty(what: string, { files, paths }: LeftOut): Problem {
  if (files === 0) return new Problem('deployment_empty', `${what}.`)
  const named = paths.slice(0, 5).join(', ')
  return new Problem('deployment_empty', `${what} to publish. Left out: ${named}.`)
}
