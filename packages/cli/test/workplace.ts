import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { tarGz } from '@masthead/testing/clients/tar-gz.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { RecordingProxy } from './recording-proxy.ts'
import { type Run, type RunOptions, runAtTerminal, runMasthead } from './run-masthead.ts'
import type { TestAccount, TestServer } from './test-server.ts'

export type Workplace = Awaited<ReturnType<typeof createWorkplace>>

/** A folder with files, and the command line run in it against the server. */
export async function createWorkplace(
  server: TestServer,
  files: Record<string, string | Uint8Array> = {},
  account: TestAccount = server.account,
) {
  const folder = await temporaryFolder('masthead-cli')
  const proxy = await RecordingProxy.start(server.origin)
  const { client } = account
  const write = async (path: string, content: string | Uint8Array) => {
    const location = join(folder.path, path)
    await mkdir(dirname(location), { recursive: true })
    await writeFile(location, content)
  }
  for (const [path, content] of Object.entries(files)) await write(path, content)

  const signedOut = { MASTHEAD_SERVER: proxy.url }
  const signedIn = { ...signedOut, MASTHEAD_KEY: account.key }
  const run = (args: string, more: Partial<RunOptions> = {}): Promise<Run> =>
    runMasthead(args.split(' '), { cwd: folder.path, env: signedIn, ...more })
  const atTerminal = (args: string, more: Partial<RunOptions> = {}): Promise<Run> =>
    runAtTerminal(args.split(' '), { cwd: folder.path, env: signedIn, ...more })

  return {
    path: folder.path,
    server,
    client,
    proxy,
    write,
    run,
    atTerminal,
    signedOut,
    signedIn,
    /** A project in which nothing is published yet. */
    addProject: (slug: string) => client.createProject({ body: { slug } }),
    /** A new live deployment of the project. */
    publish: (slug: string, content = slug): Promise<Deployment> =>
      client.createDeployment({
        params: { project: slug },
        archive: tarGz({ 'index.html': content }),
        type: 'application/gzip',
      }),
    addDomain: (hostname: string, project = 'site'): Promise<Domain> =>
      client.addDomain({ params: { project }, body: { hostname } }),
    /** Sets the required records in the lab and waits until the domain is live. */
    async goLive({ hostname, records }: Domain, project = 'site'): Promise<void> {
      for (const { fqdn, type, value } of records) {
        if (type === 'TXT') continue
        await client.setLabRecord({ params: { name: fqdn, type }, body: { values: [value] } })
      }
      const params = { project, hostname }
      await client.verifyDomain({ params })
      const end = Date.now() + 30_000
      while ((await client.getDomain({ params })).state !== 'live') {
        if (Date.now() > end) throw new Error(`${hostname} did not go live.`)
        await delay(100)
      }
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await folder.remove()
      await server.clear()
    },
  }
}

/** The same, where the folder belongs to a project that is published. */
export async function workplaceWithSite(server: TestServer): Promise<Workplace> {
  const place = await createWorkplace(server, { 'masthead.json': '{ "project": "site" }' })
  await place.addProject('site')
  await place.publish('site')
  return place
}
