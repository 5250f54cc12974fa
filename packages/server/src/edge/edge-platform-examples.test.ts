import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startEdge } from './edge.test-kit.ts'

/** Examples of the documentation of Netlify and Cloudflare Pages, each with what visitors must get. */
const cloudflare = {
  '/_redirects': `
/home301 / 301
/home302 / 302
/querystrings /?query=string 301
/twitch https://twitch.tv
/trailing /trailing/ 301
/notrailing/ /nottrailing 301
/page/ /page2/#fragment 301
/blog/* https://blog.my.domain/:splat
/products/:code/:name /products?code=:code&name=:name
/news/* /articles/:splat 200
`,
  '/_headers': `
# This is a comment
/secure/page
  X-Frame-Options: DENY
  X-Content-Type-Options: nosniff
  Referrer-Policy: no-referrer

/static/*
  Access-Control-Allow-Origin: *
  X-Robots-Tag: nosnippet
  Cache-Control: public, max-age=31556952, immutable

https://:project.masthead.localhost/hidden
  X-Robots-Tag: noindex

/app/*
  Permissions-Policy: document-domain=()
  Content-Security-Policy: script-src 'self'; frame-ancestors 'none';

/*.jpg
  ! Content-Security-Policy
/movies/:title
  x-movie-name: You are watching ":title"
`,
  '/index.html': 'front',
  '/articles/today.html': 'today',
  '/secure/page.html': 'secure',
  '/static/image.jpg': 'image',
  '/hidden.html': 'hidden',
  '/app/index.html': 'app',
  '/app/cat.jpg': 'cat',
  '/movies/alien.html': 'alien',
}

const netlify = {
  '/_redirects': `
# Redirects from what the browser requests to what we serve
/home              /
/blog/my-post.php  /blog/my-post
/cuties            https://www.petsofnetlify.com
/authors/c%C3%A9line  /authors/about-c%C3%A9line
/my-redirect       /           302
/pass-through      /index.html 200
/ecommerce         /store-closed 404
/news/:month/:date/:year/:slug  /blog/:year/:month/:date/:slug
/news/*            /blog/:splat
/articles id=:id tag=:tag /posts/:tag/:id 301
/store id=:id      /blog/:id  301
/api/*             https://api.example.com/:splat 200
/                  /anz       302  Country=au,nz
/china/*           /china/zh-cn/:splat  302  Language=zh
/admin/*           /admin/:splat 200! Role=admin
/en/*              /en/404.html 404
/app/*             /app/index.html 200!
http://blog.masthead.localhost/*  https://www.yoursite.com/blog/:splat 301!
/*                 /index.html 200
`,
  '/_headers': `
/templates/index.html
  X-Frame-Options: DENY
/*
  cache-control: max-age=0
  cache-control: no-cache
  cache-control: no-store
  cache-control: must-revalidate
`,
  '/index.html': 'front',
  '/store-closed.html': 'closed',
  '/en/404.html': 'en missing',
  '/app/index.html': 'app',
  '/app/real.txt': 'real',
  '/templates/index.html': 'templates',
}

describe('the examples of other platforms, as visitors see them', () => {
  let edge: Awaited<ReturnType<typeof startEdge>>
  before(async () => {
    edge = await startEdge()
    await edge.publish('cloudflare', cloudflare)
    await edge.publish('netlify', netlify)
    await edge.publish('blog', netlify)
  })
  after(() => edge[Symbol.asyncDispose]())

  for (const [site, path, expected, fields] of [
    ['cloudflare', '/home301', '301 /'],
    ['cloudflare', '/home302', '302 /'],
    ['cloudflare', '/querystrings', '301 /?query=string'],
    ['cloudflare', '/twitch', '301 https://twitch.tv/'],
    ['cloudflare', '/trailing', '301 /trailing/'],
    ['cloudflare', '/notrailing/', '301 /nottrailing'],
    ['cloudflare', '/page/', '301 /page2/#fragment'],
    ['cloudflare', '/blog/2026/hello?a=b', '301 https://blog.my.domain/2026/hello?a=b'],
    ['cloudflare', '/products/a1/blue', '301 /products?code=a1&name=blue'],
    ['cloudflare', '/news/today', '200 today'],
    ['netlify', '/home', '301 /'],
    ['netlify', '/home/', '301 /'],
    ['netlify', '/blog/my-post.php', '301 /blog/my-post'],
    ['netlify', '/cuties', '301 https://www.petsofnetlify.com/'],
    ['netlify', '/authors/c%C3%A9line', '301 /authors/about-c%C3%A9line'],
    ['netlify', '/my-redirect', '302 /'],
    ['netlify', '/pass-through', '200 front'],
    ['netlify', '/ecommerce', '404 closed'],
    ['netlify', '/news/02/14/2004/hearts', '301 /blog/2004/02/14/hearts'],
    ['netlify', '/news/today', '301 /blog/today'],
    ['netlify', '/articles?tag=fun&id=7', '301 /posts/fun/7'],
    ['netlify', '/store?id=my-blog-post', '301 /blog/my-blog-post'],
    // Proxies, countries and roles are reported when publishing, and the next rule answers.
    ['netlify', '/api/users', '200 front'],
    ['netlify', '/', '200 front'],
    ['netlify', '/admin/x', '200 front'],
    ['netlify', '/china/tea', '302 /china/zh-cn/tea', { 'accept-language': 'zh-TW,en;q=0.5' }],
    ['netlify', '/china/tea', '200 front'],
    ['netlify', '/en/nowhere', '404 en missing'],
    ['netlify', '/app/real.txt', '200 app'],
    ['netlify', '/any/where', '200 front'],
    ['blog', '/a/b', '301 https://www.yoursite.com/blog/a/b'],
  ] as const) {
    test(`${site}${path} ${JSON.stringify(fields ?? {})}`, async () => {
      const { status, headers, body } = await edge.ask(path, {
        host: `${site}.masthead.localhost`,
        ...fields,
      })
      assert.equal(`${status} ${headers.location ?? body}`, expected)
    })
  }

  for (const [site, path, expected] of [
    [
      'cloudflare',
      '/secure/page',
      { 'x-frame-options': 'DENY', 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' },
    ],
    [
      'cloudflare',
      '/static/image.jpg',
      {
        'access-control-allow-origin': '*',
        'x-robots-tag': 'nosnippet',
        'cache-control': 'public, max-age=31556952, immutable',
      },
    ],
    ['cloudflare', '/hidden', { 'x-robots-tag': 'noindex' }],
    [
      'cloudflare',
      '/app/',
      {
        'permissions-policy': 'document-domain=()',
        'content-security-policy': "script-src 'self'; frame-ancestors 'none';",
      },
    ],
    [
      'cloudflare',
      '/app/cat.jpg',
      { 'permissions-policy': 'document-domain=()', 'content-security-policy': undefined },
    ],
    ['cloudflare', '/movies/alien', { 'x-movie-name': 'You are watching "alien"' }],
    [
      'netlify',
      '/templates/',
      {
        'x-frame-options': 'DENY',
        'cache-control': 'max-age=0, no-cache, no-store, must-revalidate',
      },
    ],
    ['netlify', '/', { 'x-frame-options': undefined }],
  ] as const) {
    test(`headers of ${site}${path}`, async () => {
      const { status, headers } = await edge.ask(path, { host: `${site}.masthead.localhost` })
      assert.equal(status, 200)
      for (const [name, value] of Object.entries(expected)) assert.equal(headers[name], value, name)
    })
  }
})
