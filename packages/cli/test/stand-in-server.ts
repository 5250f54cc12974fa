import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { defaultUploadLimits } from '@masthead/contract/deployments.ts'
import { type EndpointName, endpoints } from '@masthead/contract/endpoints.ts'
import { type ProblemCode, problems } from '@masthead/contract/problems.ts'

export interface StoredProject {
  id: string
  slug: string
  name: string
  url: string
  primaryUrl: string
  activeDeployment: StoredDeployment | null
}

interface StoredDeployment {
  id: string
  state: 'uploading' | 'ready'
  active: boolean
  url: string
  files: number
  bytes: number
  createdAt: string
  leftOut: { files: number; paths: string[] }
  diagnostics: { file: string; line: number | null; level: 'warning' | 'error'; message: string }[]
}

export interface Call {
  params: Record<string, string>
  query: URLSearchParams
  body: Buffer
  json: Record<string, unknown>
  /** The tag for which a change is asked. */
  ifMatch: string | undefined
}

interface Asked extends Pick<Call, 'body' | 'ifMatch'> {
  method: string
  url: URL
  isSignedIn: boolean
}

/** Stands for an answer. */
export function tagOf(value: unknown): string {
  return `"${hash('sha256', JSON.stringify(value)).slice(0, 12)}"`
}

export type Answerer = (call: Call) => unknown

export class Refusal extends Error {
  readonly code: ProblemCode
  readonly more: object
  constructor(code: ProblemCode, detail: string, more: object = {}) {
    super(detail)
    this.code = code
    this.more = more
  }
}

/** Just enough of the API, in memory, to see what the command line asks of it. */
export class StandInServer {
  readonly key = 'mh_stand_in'
  readonly projects = new Map<string, StoredProject>()
  readonly deployments: StoredDeployment[] = []
  readonly manifests = new Map<string, Record<string, { sha256: string; size: number }>>()
  readonly blobs = new Map<string, Buffer>()
  /** Digests that were sent, alone or with others. */
  readonly uploads: string[] = []
  /** Slugs that belong to somebody else. */
  readonly taken = new Set<string>()
  /** Names of the endpoints asked, in order. */
  readonly asked: EndpointName[] = []
  /** Polls of a login that are answered with "pending" before it is decided. */
  polls = { pending: 0, outcome: 'approved' as 'approved' | 'denied' | 'expired' }
  /** Seconds that every refusal asks to wait. */
  retryAfter: number | null = null
  /** Replaces what an endpoint does. */
  readonly instead: Partial<Record<EndpointName, Answerer>> = {}
  uploadLimits = defaultUploadLimits
  readonly #http: Server = createServer()
  #ids = 0

  static async start(): Promise<StandInServer> {
    const server = new StandInServer()
    server.#http.on('request', async (request, response) => {
      const url = new URL(request.url ?? '', server.url)
      const body = await buffer(request)
      const isSignedIn = request.headers.authorization === `Bearer ${server.key}`
      const { method = '', headers } = request
      const { status, value } = server.#answer({
        method,
        url,
        body,
        ifMatch: headers['if-match'],
        isSignedIn,
      })
      if (status === 200) response.setHeader('etag', tagOf(value))
      response.setHeader('content-type', status >= 400 ? 'application/problem+json' : 'application/json')
      if (status >= 400 && server.retryAfter !== null) response.setHeader('retry-after', server.retryAfter)
      response.writeHead(status).end(value === undefined ? '' : JSON.stringify(value))
    })
    server.#http.listen(0, '127.0.0.1')
    await once(server.#http, 'listening')
    return server
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#http.closeAllConnections()
    this.#http.close()
    await once(this.#http, 'close')
  }

  count(name: EndpointName): number {
    return this.asked.filter((asked) => asked === name).length
  }

  addDeployment(project: StoredProject, state: 'uploading' | 'ready', active = false): StoredDeployment {
    const id = `dpl_${String(++this.#ids).padStart(20, '0')}`
    const createdAt = new Date(Date.UTC(2026, 0, 1) + this.#ids * 1000).toISOString()
    const empty = { files: 0, bytes: 0, leftOut: { files: 0, paths: [] }, diagnostics: [] }
    const deployment = { id, state, active, url: `${project.url}/${id}`, createdAt, ...empty }
    this.deployments.unshift(deployment)
    if (active) this.#activate(project, deployment)
    return deployment
  }

  addProject(slug: string, name = slug): StoredProject {
    const id = `prj_${String(++this.#ids).padStart(20, '0')}`
    const url = `http://${slug}.example`
    const project = { id, slug, name, url, primaryUrl: url, activeDeployment: null }
    this.projects.set(slug, project)
    return project
  }

  #answer({ method, url, body, ifMatch, isSignedIn }: Asked): { status: number; value: unknown } {
    try {
      const found = match(method, url.pathname)
      if (found === null) throw new Refusal('not_found', 'There is nothing here.')
      const { name, params } = found
      this.asked.push(name)
      if (endpoints[name].access !== 'public' && !isSignedIn) {
        throw new Refusal('unauthenticated', 'This key is not valid.')
      }
      const isJson = body.length > 0 && !name.startsWith('putFile')
      const json = isJson ? JSON.parse(body.toString()) : {}
      const answerer = this.instead[name] ?? this.answerers[name]
      const value = answerer?.({ params, query: url.searchParams, body, json, ifMatch })
      return { status: value === undefined ? 204 : 200, value }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { status, title } = problems[error.code]
      const document = { type: 'about:blank', title, status, detail: error.message, code: error.code }
      return { status, value: { ...document, requestId: 'req_1', ...error.more } }
    }
  }

  projectOf({ params }: Call): StoredProject {
    const found = [...this.projects.values()].find(({ id, slug }) =>
      [id, slug].includes(params.project ?? ''),
    )
    if (!found) throw new Refusal('not_found', `There is no project ${params.project}.`)
    return found
  }

  #deployment({ params }: Call): StoredDeployment {
    const found = this.deployments.find(({ id }) => id === params.deployment)
    if (!found) throw new Refusal('not_found', `There is no deployment ${params.deployment}.`)
    return found
  }

  #activate(project: StoredProject, deployment: StoredDeployment): StoredDeployment {
    for (const other of this.deployments) other.active = other === deployment
    project.activeDeployment = deployment
    return deployment
  }

  #missing(deployment: StoredDeployment): string[] {
    const digests = Object.values(this.manifests.get(deployment.id) ?? {}).map(({ sha256 }) => sha256)
    return [...new Set(digests)].filter((digest) => !this.blobs.has(digest))
  }

  readonly answerers: Partial<Record<EndpointName, Answerer>> = {
    getWhoami: () => ({
      kind: 'key',
      account: { id: 'acc_1', name: 'My team', plan: 'free' },
      person: null,
      key: { id: 'key_1', name: 'laptop' },
      scopes: ['read', 'deploy'],
    }),
    getServer: () => ({ uploadLimits: this.uploadLimits, lab: true }),
    startLogin: () => ({
      code: 'BCDF-GHJK',
      secret: 'claim',
      url: `${this.url}/cli#BCDF-GHJK`,
      expiresAt: '2099-01-01T00:00:00.000Z',
      pollSeconds: 0,
    }),
    claimLogin: () => {
      if (this.polls.pending-- > 0) return { state: 'pending', secret: null }
      if (this.polls.outcome === 'expired') throw new Refusal('link_invalid', 'The code has expired.')
      return { state: this.polls.outcome, secret: this.polls.outcome === 'approved' ? this.key : null }
    },
    listProjects: () => ({ items: [...this.projects.values()].reverse(), next: null }),
    createProject: ({ json }) => {
      const slug = String(json.slug)
      if (this.taken.has(slug)) throw new Refusal('slug_taken', `The slug ${slug} is taken.`)
      return this.addProject(slug, json.name === undefined ? slug : String(json.name))
    },
    getProject: (call) => this.projectOf(call),
    listDeployments: () => ({ items: this.deployments, next: null }),
    createDeployment: (call) => {
      const files = call.json.files as Record<string, { sha256: string; size: number }>
      const deployment = this.addDeployment(this.projectOf(call), 'uploading')
      this.manifests.set(deployment.id, files)
      deployment.files = Object.keys(files).length
      if (!Object.hasOwn(files, '/index.html')) {
        const message = 'There is no front page.'
        deployment.diagnostics = [{ file: '/index.html', line: null, level: 'warning', message }]
      }
      return { ...deployment, missing: this.#missing(deployment) }
    },
    putFiles: ({ body }) => {
      const contents = unpackTar(gunzipSync(body))
      for (const [name, content] of contents) {
        if (hash('sha256', content) !== name) throw new Refusal('digest_mismatch', 'The content is another.')
        this.blobs.set(name, content)
        this.uploads.push(name)
      }
      return { received: contents.size }
    },
    putFile: ({ params, body }) => {
      const digest = hash('sha256', body)
      if (digest !== params.sha256) throw new Refusal('digest_mismatch', 'The content is another.')
      this.blobs.set(digest, body)
      this.uploads.push(digest)
    },
    finalizeDeployment: (call) => {
      const deployment = this.#deployment(call)
      const missing = this.#missing(deployment)
      if (missing.length > 0) throw new Refusal('files_missing', 'Some files are missing.', { missing })
      deployment.state = 'ready'
      return call.query.get('activate') === 'false'
        ? deployment
        : this.#activate(this.projectOf(call), deployment)
    },
    deleteDeployment: (call) => {
      const deployment = this.#deployment(call)
      if (deployment.active) throw new Refusal('deployment_active', 'The deployment is being served.')
      this.deployments.splice(this.deployments.indexOf(deployment), 1)
    },
    activateDeployment: (call) => this.#activate(this.projectOf(call), this.#deployment(call)),
    listKeys: () => ({ items: [], next: null }),
    createKey: ({ json }) => ({ id: 'key_2', ...json, secret: 'mh_new_secret' }),
    revokeKey: () => undefined,
  }
}

function match(method: string, path: string): { name: EndpointName; params: Record<string, string> } | null {
  for (const name of Object.keys(endpoints) as EndpointName[]) {
    const [routeMethod, template = ''] = endpoints[name].route.split(' ')
    const pattern = new RegExp(`^${template.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
    const found = routeMethod === method ? pattern.exec(path) : null
    if (found) return { name, params: decoded(found.groups ?? {}) }
  }
  return null
}

function decoded(groups: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]))
}

function unpackTar(archive: Buffer): Map<string, Buffer> {
  const contents = new Map<string, Buffer>()
  for (let at = 0; archive[at] !== 0; ) {
    const name = archive.toString('latin1', at, at + 100).replace(/\0.*$/, '')
    const size = Number.parseInt(archive.toString('latin1', at + 124, at + 135), 8)
    contents.set(name, archive.subarray(at + 512, at + 512 + size))
    at += 512 + Math.ceil(size / 512) * 512
  }
  return contents
}
