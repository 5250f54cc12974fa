/** A fetch that tells how much of the body has left; the browser's own does not. */
export function fetchWithProgress(sent: (fraction: number) => void): typeof globalThis.fetch {
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const { signal } = init
      const request = new XMLHttpRequest()
      request.open(init.method ?? 'GET', input instanceof Request ? input.url : input)
      for (const [name, value] of new Headers(init.headers)) request.setRequestHeader(name, value)
      const stop = () => request.abort()
      request.upload.onprogress = ({ loaded, total }) => sent(total === 0 ? 1 : loaded / total)
      request.onload = () => resolve(responseOf(request))
      request.onerror = () => reject(new TypeError('The connection broke off'))
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
