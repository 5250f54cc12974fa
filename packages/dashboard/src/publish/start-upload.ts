import { createClient } from '@masthead/client/client.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { followAccess } from '../api/queries.ts'
import type { SiteUpload } from './site.ts'
import { Upload } from './upload.ts'
import { trackUpload } from './uploads.ts'

type PublishedTo = Pick<Project, 'id' | 'accountId' | 'slug' | 'name'>

/** Starts an upload. Components follow it with `useUpload`. */
export function startUpload(project: PublishedTo, site: SiteUpload, { goLive }: { goLive: boolean }): void {
  const to = { server: location.origin, account: project.accountId }
  // With the default retries: uploads wait for rate limits and survive a lost connection.
  const clientWithProgress = (sent: (fraction: number) => void) =>
    createClient({ ...to, fetch: fetchWithProgress(sent) })
  const keepaliveClient = createClient({
    ...to,
    fetch: (url, init) => fetch(url, { ...init, keepalive: true }),
  })
  const upload = new Upload(site, {
    project: project.id,
    clientWithProgress,
    keepaliveClient,
    goLive,
    onError: followAccess,
  })
  trackUpload(project, upload)
  void upload.run()
}

/** The browser's fetch does not report upload progress, so this uses XMLHttpRequest. */
function fetchWithProgress(sent: (fraction: number) => void): typeof globalThis.fetch {
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const { signal } = init
      const request = new XMLHttpRequest()
      request.open(init.method ?? 'GET', input instanceof Request ? input.url : input)
      for (const [name, value] of new Headers(init.headers)) request.setRequestHeader(name, value)
      const stop = () => request.abort()
      request.upload.onprogress = ({ loaded, total }) => sent(total === 0 ? 1 : loaded / total)
      request.onload = () => resolve(responseOf(request))
      request.onerror = () => reject(new TypeError('The connection was lost'))
      request.onabort = () => reject(signal?.reason ?? new DOMException('Stopped', 'AbortError'))
      request.onloadend = () => signal?.removeEventListener('abort', stop)
      signal?.throwIfAborted()
      signal?.addEventListener('abort', stop)
      request.send(init.body as XMLHttpRequestBodyInit | null)
    })
}

const withoutBody = [204, 205, 304]

function responseOf(request: XMLHttpRequest): Response {
  const { status, responseText } = request
  const headers = new Headers()
  for (const line of request.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  return new Response(withoutBody.includes(status) ? null : responseText, { status, headers })
}
