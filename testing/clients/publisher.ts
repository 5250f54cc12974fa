import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ReadableStream } from 'node:stream/web'
import type { MastheadProcess } from '../masthead-process.ts'

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream

export interface PublishedDeployment {
  id: string
  state: string
  active: boolean
  files: number
  bytes: number
}

export interface PublishedProject {
  id: string
  slug: string
  activeDeployment: PublishedDeployment | null
}

/** An account on a server, and what a program needs to publish there. */
export interface Publisher {
  accountId: string
  key: string
  createProject(slug: string): Promise<PublishedProject>
  project(slug: string): Promise<PublishedProject>
  deployments(slug: string): Promise<PublishedDeployment[]>
  /** A tar.gz. */
  publishArchive(
    slug: string,
    archive: Uint8Array<ArrayBuffer> | ReadableStream,
  ): Promise<PublishedDeployment>
  activate(slug: string, deployment: string): Promise<PublishedDeployment>
}

/** A new account, whose limits nobody reaches. Its key works as long as the server keeps its data. */
export async function createPublisher(masthead: MastheadProcess): Promise<Publisher> {
  const operatorKey = (await readFile(join(masthead.dataFolder, 'operator.key'), 'utf8')).trim()

  async function send<T>(route: string, as: string, type?: string, body?: Body): Promise<T> {
    const [method = '', path] = route.split(' ')
    const headers = { authorization: `Bearer ${as}`, ...(type && { 'content-type': type }) }
    // Without `duplex` a stream is not accepted as a body.
    const request = { method, headers, ...(body && { body, duplex: 'half' as const }) }
    const response = await fetch(`${masthead.origin}${path}`, request)
    if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }
  const sendJson = <T>(route: string, as: string, body: unknown) =>
    send<T>(route, as, 'application/json', JSON.stringify(body))

  const accounts = '/v1/operator/accounts'
  const made = await sendJson<{ account: { id: string }; key: { secret: string } }>(
    `POST ${accounts}`,
    operatorKey,
    { name: 'Publisher', plan: 'enterprise' },
  )
  await sendJson(`PUT ${accounts}/${made.account.id}/plan`, operatorKey, {
    plan: 'enterprise',
    limits: { perMinute: 10_000_000, perDay: 1_000_000_000 },
  })
  const key = made.key.secret
  return {
    accountId: made.account.id,
    key,
    createProject: (slug) => sendJson('POST /v1/projects', key, { slug }),
    project: (slug) => send(`GET /v1/projects/${slug}`, key),
    deployments: async (slug) => {
      const page = await send<{ items: PublishedDeployment[] }>(`GET /v1/projects/${slug}/deployments`, key)
      return page.items
    },
    publishArchive: (slug, archive) =>
      send(`POST /v1/projects/${slug}/deployments`, key, 'application/gzip', archive),
    activate: (slug, deployment) => send(`POST /v1/projects/${slug}/deployments/${deployment}/activate`, key),
  }
}
