import { ignoredPart } from '@masthead/contract/deployments.ts'
import type { LeftOut } from '@masthead/contract/schemas/deployment.ts'
import { Problem } from '../kernel/problem.ts'

const mostNamed = 20
const longestNamed = 200

/** What was sent and is not published. Names are as they were sent: nobody has checked them. */
export class LeftOutFiles {
  readonly #parts = new Map<string, number>()
  /** Those beyond what is named; there may be any number. */
  #others = 0

  /** Takes note of an entry that is not published; false where it is. Folders end with a slash. */
  skips(name: string): boolean {
    const isFolder = name.endsWith('/')
    const path = plainPath(isFolder ? name.slice(0, -1) : name)
    const part = path === null ? null : ignoredPart(path)
    if (part === null) return false
    if (!isFolder) this.#count(part)
    return true
  }

  #count(part: string): void {
    const counted = this.#parts.get(part)
    if (counted === undefined && this.#parts.size === mostNamed) this.#others++
    else this.#parts.set(part, (counted ?? 0) + 1)
  }

  /** As the API tells it, with paths below the folder that is the site (`/` or `/site/`). */
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

/** Null for what is not plainly a path: whether that is refused is not decided here. */
function plainPath(name: string): string | null {
  const bare = name.replace(/^(\.?\/)/, '')
  const names = bare.split('/')
  return names.some((part) => part === '' || part === '.' || part === '..') ? null : `/${bare}`
}

function printable(path: string): string {
  const shown = path.toWellFormed().replaceAll(/\p{Cc}/gu, '\ufffd')
  return shown.length > longestNamed ? `${shown.slice(0, longestNamed)}…` : shown
}

export function deploymentEmpty(what: string, { files, paths }: LeftOut): Problem {
  if (files === 0) return new Problem('deployment_empty', `${what}.`)
  const named = paths.slice(0, 5).join(', ')
  return new Problem('deployment_empty', `${what} to publish. Left out: ${named}.`)
}
