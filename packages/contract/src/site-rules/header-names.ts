/** Why a rule cannot set or remove a header. Everything else is the site's own business. */
export const ownedHeaders: ReadonlyMap<string, string> = new Map([
  ...[
    'accept-ranges',
    'age',
    'content-encoding',
    'content-length',
    'content-range',
    'date',
    'etag',
    'last-modified',
    'location',
    'server',
    'status',
    'trailer',
  ].map((name) => [name, 'The server sets it for every file. Remove the line.'] as const),
  ...[
    'allow',
    'alt-svc',
    'connection',
    'keep-alive',
    'proxy-authenticate',
    'proxy-connection',
    'te',
    'transfer-encoding',
    'upgrade',
    'www-authenticate',
  ].map((name) => [name, 'It is about the connection, which the server manages. Remove the line.'] as const),
  ['basic-auth', 'Remove the lines that set it instead.'],
])

/** Lists that a rule adds to, because the server depends on what it puts there itself. */
export const addedHeaders: ReadonlySet<string> = new Set(['vary', 'link', 'x-robots-tag'])

/** Sent once per value: commas are part of a cookie. */
export const separateHeader = 'set-cookie'

export const headerNamePattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
