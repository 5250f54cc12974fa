import type { FastifyInstance } from 'fastify'
import { Problem } from '../../kernel/problem.ts'
import type { CommandLine } from '../command-line-package.ts'
import { isCached } from './not-modified.ts'

/**
 * Any other version leads to this one: after an update of the server, the address in a pipeline still works, and gets
 * the command line that suits the server.
 */
const anyVersion = '/cli/:file(^masthead[\\w.+-]*\\.tgz$)'

export function serveCommandLine(app: FastifyInstance, commandLine: CommandLine | null): void {
  if (commandLine === null) {
    app.get(anyVersion, async () => {
      throw new Problem('not_found', 'The command line was not built on this server. Run `npm run build`.')
    })
    return
  }
  const { url, sha256, archive } = commandLine
  const { pathname } = new URL(url)
  const etag = `"${sha256}"`
  app.get(pathname, async (request, reply) => {
    reply.headers({
      ETag: etag,
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Content-Type': 'application/octet-stream',
      'Cross-Origin-Resource-Policy': 'same-origin',
    })
    if (isCached(request.headers['if-none-match'], etag)) return reply.status(304).send()
    return reply.send(archive)
  })
  app.get(anyVersion, async (_request, reply) =>
    reply.header('Cache-Control', 'no-store').redirect(pathname, 302),
  )
}
