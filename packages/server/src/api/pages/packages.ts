import type { FastifyInstance } from 'fastify'
import { Problem } from '../../kernel/problem.ts'
import { type OfferedPackages, type PackageKind, packageKinds } from '../offered-packages.ts'
import { isCached } from './not-modified.ts'

export function servePackages(app: FastifyInstance, packages: OfferedPackages): void {
  for (const kind of Object.keys(packageKinds) as PackageKind[]) servePackage(app, kind, packages)
}

function servePackage(app: FastifyInstance, kind: PackageKind, packages: OfferedPackages): void {
  const { folder, name, title } = packageKinds[kind]
  const offered = packages[kind]
  // Any other version leads to this one: after an update of the server, the address in a pipeline still works, and
  // gets what suits the server.
  const anyVersion = `/${folder}/${name}:version(^-?[.\\d][\\w.+-]*tgz$)`
  if (offered === null) {
    app.get(anyVersion, async () => {
      throw new Problem('not_found', `${title} was not built on this server. Run \`npm run build\`.`)
    })
    return
  }
  const { url, sha256, archive } = offered
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
