import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../free-port.ts'
import { startSupervised } from '../../supervised-process.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { requirePeer } from '../peers.ts'

/**
 * How the CDN treats a name. `strict`: plain to plain, TLS to TLS, and it verifies the origin. `flexible`: never TLS to
 * the origin. `redirecting`: to HTTPS first. `caching`: whatever the origin says. `challenging`: asks for a human.
 * `renaming`: another host name. `elsewhere`: another origin.
 */
export type CdnMode =
  | 'strict'
  | 'flexible'
  | 'redirecting'
  | 'caching'
  | 'challenging'
  | 'renaming'
  | 'elsewhere'

export interface CdnOptions {
  /** A loopback address of its own, where it listens and from where it connects. */
  address: string
  /** Of the CDN and of the origin at 127.0.0.1, which have the same. */
  ports: { http: number; https: number }
  names: Readonly<Record<string, CdnMode>>
  /** What visitors get, in PEM. */
  certificate: { chain: string; key: string }
  /** The root that the certificates of the origin lead to. */
  originRoot: string
}

/** nginx as a CDN in front of an origin. It replaces CF-Connecting-IP by the address of the visitor, as Cloudflare does. */
export async function startNginxCdn(options: CdnOptions): Promise<AsyncDisposable> {
  const program = requirePeer('nginx')
  const folder = await temporaryFolder('masthead-nginx')
  const at = (file: string) => join(folder.path, file)
  const statusPort = await freePort()
  await mkdir(at('cache'))
  await writeFile(at('certificate.pem'), options.certificate.chain)
  await writeFile(at('key.pem'), options.certificate.key)
  await writeFile(at('origin-root.pem'), options.originRoot)
  await writeFile(at('nginx.conf'), configuration(options, statusPort, at))
  const nginx = await startSupervised({
    command: [program, '-e', at('error.log'), '-c', at('nginx.conf')],
    folder: folder.path,
    ports: [statusPort],
  })
  return { [Symbol.asyncDispose]: () => nginx.stop() }
}

function configuration(options: CdnOptions, statusPort: number, at: (file: string) => string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
daemon off;
master_process off;
pid ${at('nginx.pid')};
error_log stderr;
events { worker_connections 256; }
http {
  access_log off;
  server_names_hash_bucket_size 128;
  ${temporary.map((kind) => `${kind}_temp_path ${at(kind)};`).join('\n  ')}
  proxy_cache_path ${at('cache')} keys_zone=all:1m;
  proxy_http_version 1.1;
  proxy_bind ${options.address};
  proxy_ssl_server_name on;
  proxy_ssl_verify on;
  proxy_ssl_verify_depth 3;
  proxy_ssl_trusted_certificate ${at('origin-root.pem')};
  ssl_certificate ${at('certificate.pem')};
  ssl_certificate_key ${at('key.pem')};
  server { listen 127.0.0.1:${statusPort}; }
  ${Object.entries(options.names)
    .map(([name, mode]) => servers(options, name, mode))
    .join('\n')}
}
`
}

function servers({ address, ports }: CdnOptions, name: string, mode: CdnMode): string {
  const origins = { http: `http://127.0.0.1:${ports.http}`, https: `https://127.0.0.1:${ports.https}` }
  const toPlain = mode === 'flexible' || mode === 'renaming'
  return (['http', 'https'] as const)
    .map((scheme) => {
      const listen = `${address}:${ports[scheme]}${scheme === 'https' ? ' ssl' : ''}`
      const origin = scheme === 'https' && toPlain ? origins.http : origins[scheme]
      return `server {
    listen ${listen};
    server_name ${name};
    location / { ${location(mode, scheme, origin, `https://$host:${ports.https}`)} }
  }`
    })
    .join('\n')
}

function location(mode: CdnMode, scheme: 'http' | 'https', origin: string, secure: string): string {
  if (mode === 'redirecting' && scheme === 'http') return `return 301 ${secure}$request_uri;`
  if (mode === 'challenging') return 'default_type text/html; return 403 "<h1>Are you human?</h1>";'
  if (mode === 'elsewhere') return 'default_type text/plain; return 200 "another site";'
  const host = mode === 'renaming' ? 'other.example' : '$http_host'
  const caching =
    'proxy_cache all; proxy_cache_key $scheme$host$uri; proxy_ignore_headers Cache-Control; proxy_cache_valid any 10m;'
  return [
    `proxy_pass ${origin};`,
    `proxy_set_header Host ${host};`,
    'proxy_ssl_name $host;',
    'proxy_set_header CF-Connecting-IP $remote_addr;',
    mode === 'caching' ? caching : '',
  ].join(' ')
}
