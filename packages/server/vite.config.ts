import http from 'node:http'
import { types } from 'mime-types'

/**
 * The server and the programs it starts, each in one file with everything it imports: finding a thousand modules takes
 * longer than running them. Not minified, so that a stack trace can be read.
 */
export default {
  plugins: [importHttpWithoutFetch(), includeMediaTypes(), escapeBeyondAscii()],
  build: {
    ssr: true,
    outDir: 'dist',
    target: 'node26',
    minify: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: {
        'start/main': 'src/start/main.ts',
        'start/edge-process': 'src/start/edge-process.ts',
        'handover/pass-sockets': 'src/handover/pass-sockets.ts',
        'blobs/files/file-thread-worker': 'src/blobs/files/file-thread-worker.ts',
        'operator-commands/masthead-server': 'src/operator-commands/masthead-server.ts',
      },
      output: { entryFileNames: '[name].js', chunkFileNames: 'shared/[name]-[hash].js' },
    },
  },
  ssr: { noExternal: true },
}

/**
 * `import 'node:http'` reads all its exports, and with WebSocket node loads its implementation of fetch: a tenth of the
 * time that starting takes. Reading only what is used does not.
 */
function importHttpWithoutFetch() {
  const module = '\0node-http'
  const names = Object.entries(Object.getOwnPropertyDescriptors(http))
    .filter(([, { get }]) => get === undefined)
    .map(([name]) => name)
  return {
    name: 'import-http-without-fetch',
    enforce: 'pre',
    resolveId: (id: string, _importer: unknown, { kind }: { kind?: string }) =>
      id === 'node:http' && kind === 'import-statement' ? module : undefined,
    load: (id: string) =>
      id === module
        ? `const http = process.getBuiltinModule('node:http')\nexport default http\nexport const { ${names.join(', ')} } = http`
        : undefined,
  }
}

/** At every start, mime-types chooses among the media types that share an extension. The bundle has what it chose. */
function includeMediaTypes() {
  const module = '\0media-types'
  return {
    name: 'include-media-types',
    enforce: 'pre',
    resolveId: (id: string) => (id === 'mime-types' ? module : undefined),
    load: (id: string) =>
      id === module ? `export const types = JSON.parse(${JSON.stringify(JSON.stringify(types))})` : undefined,
  }
}

/**
 * V8 keeps a source with a single character past Latin-1 in two bytes for each of its characters, which takes memory and a
 * fiftieth of the time that starting takes.
 */
function escapeBeyondAscii() {
  return {
    name: 'escape-beyond-ascii',
    generateBundle(_options: unknown, files: Record<string, { code?: string }>): void {
      for (const file of Object.values(files)) if (file.code !== undefined) file.code = escaped(file.code)
    },
  }
}

function escaped(code: string): string {
  const misread = /\\[^\0-\x7f]/.exec(code)
  if (misread !== null)
    throw new Error(`A backslash precedes a character that has to be escaped: ${misread[0]}`)
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
