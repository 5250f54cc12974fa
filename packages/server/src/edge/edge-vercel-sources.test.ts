import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startEdge } from './edge.test-kit.ts'

/** Paths that are asked for with each source below. */
const paths = ['/blog', '/blog/', '/blog/x', '/blog/x/y', '/blog.html', '/blog/x.html', '/blog-', '/blog-x']
/** Sources of vercel.json, with the paths that path-to-regexp finds for them. */
const sources: Record<string, string[]> = {
  '/blog/:slug': ['/blog/x', '/blog/x.html'],
  '/blog/:slug*': ['/blog', '/blog/', '/blog/x', '/blog/x/y', '/blog/x.html'],
  '/blog/:slug+': ['/blog/x', '/blog/x/y', '/blog/x.html'],
  '/blog/(.+)': ['/blog/x', '/blog/x/y', '/blog/x.html'],
  '/blog/:slug(.+)+': ['/blog/x', '/blog/x/y', '/blog/x.html'],
  '/blog/(.*)': ['/blog/', '/blog/x', '/blog/x/y', '/blog/x.html'],
  '/blog/:slug(.*)': ['/blog/', '/blog/x', '/blog/x/y', '/blog/x.html'],
  '/blog/:slug(.*)+': ['/blog/', '/blog/x', '/blog/x/y', '/blog/x.html'],
  '/blog/:slug(.*)*': ['/blog', '/blog/', '/blog/x', '/blog/x/y', '/blog/x.html'],
  '/blog/:slug*.html': ['/blog.html', '/blog/x.html'],
  '/blog/:slug+.html': ['/blog/x.html'],
  '/blog/:slug+/y': ['/blog/x/y'],
  '/blog-(.*)': ['/blog-', '/blog-x'],
  '/blog-(.+)': ['/blog-x'],
  '/blog-:slug': ['/blog-x'],
  // Reported when the site is published, and not used.
  '/blog-:slug*': [],
  '/blog-:slug+': [],
  '/blog/:slug?': [],
}

test('redirects and headers of vercel.json apply to the paths that their modifiers say', async () => {
  await using edge = await startEdge()
  for (const [source, expected] of Object.entries(sources)) {
    const redirects = [{ source, destination: 'https://new.example/there' }]
    await edge.publish('hello', { '/vercel.json': JSON.stringify({ redirects }) })
    const headers = [{ source, headers: [{ key: 'X-A', value: '1' }] }]
    const files = { '/404.html': 'gone', '/vercel.json': JSON.stringify({ headers }) }
    await edge.publish('headers', files)
    for (const slug of ['hello', 'headers']) edge.edge.changed({ slug })
    const redirected: string[] = []
    const withHeader: string[] = []
    for (const path of paths) {
      if ((await edge.ask(path)).status === 308) redirected.push(path)
      const { headers } = await edge.ask(path, { host: 'headers.masthead.localhost' })
      if (headers['x-a'] === '1') withHeader.push(path)
    }
    assert.deepEqual(redirected, expected, source)
    assert.deepEqual(withHeader, expected, source)
  }
})

test('what a wildcard of vercel.json stands for is in the target', async () => {
  await using edge = await startEdge()
  const redirects = [
    { source: '/a/:path+', destination: '/new/:path+' },
    { source: '/b/:path+', destination: '/new/$1?from=:path' },
    { source: '/c/:path*.html', destination: '/new/:path*' },
    { source: '/d-(.+)', destination: 'https://new.example/$1' },
    { source: '/e/:path(.*)', destination: '/new/:path(.*)' },
  ]
  const rewrites = [{ source: '/:path+', destination: '/about' }]
  const files = { '/index.html': 'front', '/about.html': 'about' }
  await edge.publish('hello', { ...files, '/vercel.json': JSON.stringify({ redirects, rewrites }) })
  for (const [path, expected] of [
    ['/a/x', '308 /new/x'],
    ['/a/x/y', '308 /new/x/y'],
    ['/a/x/', '308 /new/x/'],
    ['/b/x/y', '308 /new/x/y?from=x%2Fy'],
    ['/c/x/y.html', '308 /new/x/y'],
    ['/c.html', '308 /new'],
    ['/d-x/y', '308 https://new.example/x/y'],
    ['/e/x/y', '308 /new/x/y'],
    ['/', '200 front'],
    ['/a', '200 about'],
    ['/a/', '200 about'],
  ] as const) {
    const { status, headers, body } = await edge.ask(path)
    assert.equal(`${status} ${headers.location ?? body}`, expected, path)
  }
})

test('a page beside the folder that a redirect is about is shown', async () => {
  await using edge = await startEdge()
  for (const source of ['/blog/:slug+', '/blog/(.*)', '/blog/(.+)']) {
    const redirects = [{ source, destination: 'https://new.example/' }]
    await edge.publish('hello', { '/blog.html': 'blog', '/vercel.json': JSON.stringify({ redirects }) })
    edge.edge.changed({ slug: 'hello' })
    assert.equal((await edge.ask('/blog')).body.toString(), 'blog', source)
    assert.equal((await edge.ask('/blog/x')).status, 308, source)
  }
})
