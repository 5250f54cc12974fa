/** What Masthead must at least reach, as a multiple of nginx on the same core. */
export const targets: Readonly<Record<string, number>> = {
  'HTTP/2, 4 KB': 1.3,
  'HTTP/2, 304 of 4 KB': 1.3,
  'HTTP/2, 64 KB': 1,
  'HTTP/2, 10 MB': 0.9,
  'HTTP/1.1, 4 KB': 0.62,
  'HTTP/1.1, 304 of 4 KB': 0.42,
  'HTTP/1.1, 64 KB': 1.03,
  'plain HTTP/1.1, 4 KB': 1,
  'HTTP/2, mixed': 1.3,
  'HTTP/1.1, mixed': 0.62,
  'plain HTTP/1.1, mixed': 1,
}

/** What a new connection over HTTP/2 must reach at least, as a multiple of one over HTTP/1.1. */
export const newConnectionsTarget = 0.95
