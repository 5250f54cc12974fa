import { readFileSync } from 'node:fs'
import { createSecureServer, type ServerHttp2Stream } from 'node:http2'

/** Node's own server with one small answer, as a measure. A process of its own. */
const [port, certificateFile = '', keyFile = ''] = process.argv.slice(2)
const body = Buffer.alloc(4096, 'x')
const server = createSecureServer({ cert: readFileSync(certificateFile), key: readFileSync(keyFile) })
server.on('stream', (stream: ServerHttp2Stream) => {
  stream.respond({ ':status': 200, 'content-type': 'text/css', 'content-length': body.length })
  stream.end(body)
})
server.listen(Number(port), '127.0.0.1')
