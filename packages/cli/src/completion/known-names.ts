import type { CommandContext } from '../context.ts'
import type { Known } from './suggest.ts'

/** A person who presses Tab waits no longer. */
const patienceMs = 800

/** Projects of the account or domains of the project; none if the server is slow, or nobody is signed in. */
export async function known(kind: Known, context: CommandContext, start: string): Promise<string[]> {
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(patienceMs)])
  const query = { limit: 100 }
  try {
    const key = context.storedKey()
    if (key === null) return []
    const client = context.client(key)
    if (kind === 'project') {
      const { items } = await client.listProjects({ query, signal })
      return items.map(({ slug }) => slug).filter((slug) => slug.startsWith(start))
    }
    const project = context.projectFile?.members.project
    if (project === undefined) return []
    const { items } = await client.listDomains({ params: { project }, query, signal })
    return items.map(({ hostname }) => hostname).filter((hostname) => hostname.startsWith(start))
  } catch {
    return []
  }
}
