import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Every page needs the Latin fonts, so load them before the stylesheet asks for them. */
function preloadFonts(): Plugin {
  return {
    name: 'preload-fonts',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) =>
        Object.keys(bundle)
          .filter((file) => /-latin-wght-normal-[^/]+\.woff2$/.test(file))
          .map((file) => ({
            tag: 'link',
            attrs: { rel: 'preload', href: `/${file}`, as: 'font', type: 'font/woff2', crossorigin: true },
            injectTo: 'head' as const,
          })),
    },
  }
}

/** The server sends these files as they are. Compressing them at every start would take it two seconds. */
function precompress(): Plugin {
  return {
    name: 'precompress',
    async writeBundle({ dir = '' }) {
      const files = (await readdir(dir, { recursive: true })).filter((file) =>
        /\.(html|css|js|svg|json)$/.test(file),
      )
      await Promise.all(files.map((file) => writeCompressed(join(dir, file))))
    },
  }
}

async function writeCompressed(file: string): Promise<void> {
  const content = await readFile(file)
  await writeFile(`${file}.br`, await promisify(brotliCompress)(content))
  await writeFile(`${file}.gz`, await promisify(gzip)(content))
}

// The CSP allows no inline scripts, styles or fonts, so there is no polyfill and no inlined assets.
export default defineConfig({
  plugins: [react(), tailwindcss(), preloadFonts(), precompress()],
  build: {
    outDir: 'dist',
    assetsDir: 'assets',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The dashboard, and the frame of the docs, which the server fills.
    rolldownOptions: { input: ['index.html', 'docs.html'] },
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/v1': 'http://localhost:8080', '/docs': 'http://localhost:8080' },
  },
})
