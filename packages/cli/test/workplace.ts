import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { type Run, type RunOptions, runAtTerminal, runMasthead } from './run-masthead.ts'
import { StandInDomains } from './stand-in-domains.ts'
import { StandInServer } from './stand-in-server.ts'

/** A folder with files, a server, and the command line run in the one against the other. */
export async function workplace(files: Record<string, string> = {}) {
  const folder = await temporaryFolder('masthead-cli')
  const server = await StandInServer.start()
  const domains = new StandInDomains(server)
  const write = async (path: string, content: string) => {
    const location = join(folder.path, path)
    await mkdir(dirname(location), { recursive: true })
    await writeFile(location, content)
  }
  for (const [path, content] of Object.entries(files)) await write(path, content)

  const signedOut = { MASTHEAD_SERVER: server.url }
  const signedIn = { ...signedOut, MASTHEAD_KEY: server.key }
  const run = (args: string, more: Partial<RunOptions> = {}): Promise<Run> =>
    runMasthead(args.split(' '), { cwd: folder.path, env: signedIn, ...more })
  const atTerminal = (args: string, more: Partial<RunOptions> = {}): Promise<Run> =>
    runAtTerminal(args.split(' '), { cwd: folder.path, env: signedIn, ...more })

  return {
    path: folder.path,
    server,
    domains,
    write,
    run,
    atTerminal,
    signedOut,
    signedIn,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await folder.remove()
    },
  }
}

/** The same, where the folder belongs to a project that exists. */
export async function workplaceWithSite() {
  const place = await workplace({ 'masthead.json': '{ "project": "site" }' })
  place.server.addProject('site')
  return place
}
