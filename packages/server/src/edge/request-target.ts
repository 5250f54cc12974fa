export interface RequestTarget {
  /** Only in the absolute form, where it stands in for the Host header (RFC 9112, 3.2.2). */
  authority: string | null
  path: string
  /** With its question mark, or empty. */
  query: string
}

/** Takes the target of a request line apart without changing a byte of it. */
export function readRequestTarget(target: string): RequestTarget {
  if (target.charCodeAt(0) === 47 /* / */) return divide(null, target)
  const absolute = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target)
  if (absolute === null) return { authority: null, path: target, query: '' }
  const rest = absolute[2] ?? ''
  return divide(absolute[1] ?? '', rest.startsWith('/') ? rest : `/${rest}`)
}

function divide(authority: string | null, rest: string): RequestTarget {
  const mark = rest.indexOf('?')
  return mark === -1
    ? { authority, path: rest, query: '' }
    : { authority, path: rest.slice(0, mark), query: rest.slice(mark) }
}
