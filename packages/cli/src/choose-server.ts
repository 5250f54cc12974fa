import { parseUrl } from './arguments/parse-url.ts'
import { usageError } from './errors/command-error.ts'
import { isLocalHost } from './errors/on-this-machine.ts'

export const defaultServer = 'http://localhost:8080'

export interface ServerSources {
  option: string | undefined
  environment: string | undefined
  projectFile: string | undefined
  /** The server that this program came from. */
  origin: string | null
  /** The last server that was signed in to. */
  last: string | undefined
}

/** The server to talk to: the most explicit source wins. */
export function chooseServer({ option, environment, projectFile, origin, last }: ServerSources): string {
  if (option) return serverOrigin(option, '--server')
  if (environment) return serverOrigin(environment, 'MASTHEAD_SERVER')
  if (projectFile) return serverOrigin(projectFile, '"server" in the project file')
  if (origin) return origin
  return last ? serverOrigin(last, 'The stored server') : defaultServer
}

/** Whether the server would be another one without the project file. Anybody can have written that: a pull request, too. */
export function isOnlyInProjectFile(sources: ServerSources): boolean {
  return chooseServer(sources) !== chooseServer({ ...sources, projectFile: undefined })
}

/** `localhost:8080`, `https://Example.com/` and the like, as an origin. */
function serverOrigin(text: string, source: string): string {
  const typed = text.trim()
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed)
  const url = parseUrl(hasScheme ? typed : `${isLocalHost(typed) ? 'http' : 'https'}://${typed}`)
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw usageError(
      `${source} is "${text}", which is not a server address.`,
      `Use an address such as ${defaultServer}.`,
    )
  }
  return url.origin
}
