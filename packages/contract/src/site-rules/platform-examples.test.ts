import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyHeaderChanges, HeaderMatcher } from './match-headers.ts'
import { RedirectMatcher } from './match-redirects.ts'
import { readSiteRules } from './read-site-rules.ts'
import { parseHeaders } from './sources/parse-headers.test-kit.ts'
import { parseRedirects } from './sources/parse-redirects.test-kit.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** What a request gets: a status and where to, or which file; null if no rule is about it. */
function answers(redirects: string) {
  const matcher = new RedirectMatcher(parseRedirects(bytes(redirects)).rules)
  return (address: string, language?: string): string | null => {
    const { hostname, pathname, search } = new URL(address, 'https://site.example')
    const path = decodeURIComponent(pathname)
    const match = matcher.match({ path, hostname, query: search, acceptLanguage: language })
    if (!match?.answer) return null
    const { answer } = match
    return `${answer.rule.status} ${answer.kind === 'file' ? answer.path : answer.location}`
  }
}

test('the redirects of the Cloudflare documentation', () => {
  const answer = answers(`
    /home301 / 301
    /home302 / 302
    /querystrings /?query=string 301
    /twitch https://twitch.tv
    /trailing /trailing/ 301
    /notrailing/ /nottrailing 301
    /page/ /page2/#fragment 301
    /blog/* https://blog.my.domain/:splat
    /products/:code/:name /products?code=:code&name=:name
    /movies/:title /media/:title
  `)
  for (const [asked, expected] of [
    ['/home301', '301 /'],
    ['/home302', '302 /'],
    ['/home301?utm=1', '301 /?utm=1'],
    ['/querystrings', '301 /?query=string'],
    ['/querystrings?mine=1', '301 /?query=string'],
    ['/twitch', '301 https://twitch.tv/'],
    ['/trailing', '301 /trailing/'],
    // Would lead to itself.
    ['/trailing/', null],
    ['/notrailing/', '301 /nottrailing'],
    ['/page/', '301 /page2/#fragment'],
    ['/blog/2026/hello', '301 https://blog.my.domain/2026/hello'],
    ['/blog/', '301 https://blog.my.domain/'],
    ['/blog/a?b=c', '301 https://blog.my.domain/a?b=c'],
    ['/products/a1/blue', '301 /products?code=a1&name=blue'],
    ['/products/a1/b%26c', '301 /products?code=a1&name=b%26c'],
    ['/products/a1', null],
    ['/movies/alien', '301 /media/alien'],
    ['/movies/alien/3', null],
    ['/elsewhere', null],
  ] as const) {
    assert.equal(answer(asked), expected, asked)
  }
})

test('the redirects of the Netlify documentation', () => {
  const answer = answers(`
    # Redirects from what the browser requests to what we serve
    /home              /
    /blog/my-post.php  /blog/my-post
    /news              /blog
    /cuties            https://www.petsofnetlify.com
    /authors/c%C3%A9line  /authors/about-c%C3%A9line
    /my-redirect       /           302
    /pass-through      /index.html 200
    /ecommerce         /store-closed 404
    /news/:month/:date/:year/:slug  /blog/:year/:month/:date/:slug
    /news/*            /blog/:splat
    /store id=:id      /blog/:id  301
    /articles id=:id tag=:tag /posts/:tag/:id 301
    /path/* param1=:value1 param2=:value2 /otherpath/:value1/:value2/:splat 301
    /path/* param1=:value1 /otherpath/:value1/:splat 301
    http://blog.yoursite.com/*  https://www.yoursite.com/blog/:splat 301!
    https://blog.yoursite.com/* https://www.yoursite.com/blog/:splat 301!
    /china/*           /china/zh-cn/:splat  302  Language=zh
    /israel/*          /israel/he/:splat    302  Country=au,nz Language=he
    /en/*              /en/404.html 404
    /app/*             /app/index.html 200!
    /*                 /index.html 200
  `)
  for (const [asked, expected, language] of [
    ['/home', '301 /'],
    ['/home/', '301 /'],
    ['/blog/my-post.php', '301 /blog/my-post'],
    ['/news', '301 /blog'],
    ['/news/', '301 /blog'],
    ['/news/today/late', '301 /blog/today/late'],
    ['/news/02/14/2004/hearts', '301 /blog/2004/02/14/hearts'],
    ['/cuties', '301 https://www.petsofnetlify.com/'],
    ['/authors/c%C3%A9line', '301 /authors/about-c%C3%A9line'],
    ['/my-redirect', '302 /'],
    ['/pass-through', '200 /index.html'],
    ['/ecommerce', '404 /store-closed'],
    ['/store?id=my-blog-post', '301 /blog/my-blog-post'],
    ['/store?id=7&utm=1', '301 /blog/7?utm=1'],
    ['/store', '200 /index.html'],
    ['/articles?tag=fun&id=7', '301 /posts/fun/7'],
    ['/articles?id=7', '200 /index.html'],
    ['/path/a?param1=x', '301 /otherpath/x/a'],
    ['/path/a?param2=y&param1=x', '301 /otherpath/x/y/a'],
    ['https://blog.yoursite.com/a/b', '301 https://www.yoursite.com/blog/a/b'],
    ['https://www.yoursite.com/a/b', '200 /index.html'],
    ['/china/tea', '302 /china/zh-cn/tea', 'zh-TW,en;q=0.5'],
    ['/china/tea', '200 /index.html', 'en,zh;q=0.9'],
    ['/china/tea', '200 /index.html'],
    ['/israel/tea', '200 /index.html', 'he'],
    ['/en/nowhere', '404 /en/404.html'],
    ['/app/deep/view', '200 /app/index.html'],
    ['/anything', '200 /index.html'],
    ['/', '200 /index.html'],
  ] as const) {
    assert.equal(answer(asked, language), expected, `${asked} ${language}`)
  }
})

function headersAt(headers: string) {
  const matcher = new HeaderMatcher(parseHeaders(bytes(headers)).rules)
  return (address: string): Record<string, string> => {
    const { hostname, pathname } = new URL(address, 'https://custom.example')
    const changes = matcher.changesFor([decodeURIComponent(pathname)], hostname)
    const list = changes === null ? [] : applyHeaderChanges([], changes)
    return Object.fromEntries(
      list.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), list[at + 1] ?? '']] : [])),
    )
  }
}

test('the headers of the Cloudflare documentation', () => {
  const at = headersAt(`
# This is a comment
/secure/page
  X-Frame-Options: DENY
  X-Content-Type-Options: nosniff
  Referrer-Policy: no-referrer

/static/*
  Access-Control-Allow-Origin: *
  X-Robots-Tag: nosnippet

https://myproject.pages.dev/*
  X-Robots-Tag: noindex
`)
  assert.deepEqual(at('/secure/page'), {
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  })
  const image = { 'access-control-allow-origin': '*', 'x-robots-tag': 'nosnippet' }
  assert.deepEqual(at('/static/image.jpg'), image)
  assert.deepEqual(at('https://myproject.pages.dev/home'), { 'x-robots-tag': 'noindex' })
  assert.deepEqual(at('https://myproject.pages.dev/secure/page'), {
    ...at('/secure/page'),
    'x-robots-tag': 'noindex',
  })
  assert.deepEqual(at('https://myproject.pages.dev/static/styles.css'), {
    ...image,
    'x-robots-tag': 'nosnippet, noindex',
  })
  assert.deepEqual(at('/elsewhere'), {})

  const detached = headersAt(
    "/*\n  Content-Security-Policy: default-src 'self';\n/*.jpg\n  ! Content-Security-Policy",
  )
  assert.deepEqual(detached('/page'), { 'content-security-policy': "default-src 'self';" })
  assert.deepEqual(detached('/deep/cat.jpg'), {})

  const filled = headersAt(
    '/movies/:title\n  x-movie-name: You are watching ":title"\nhttps://:project.pages.dev/*\n  X-P: :project',
  )
  assert.deepEqual(filled('/movies/alien'), { 'x-movie-name': 'You are watching "alien"' })
  assert.deepEqual(filled('/movies/a%0D%0Ab'), { 'x-movie-name': 'You are watching "a%0D%0Ab"' })
  assert.deepEqual(filled('https://mine.pages.dev/x'), { 'x-p': 'mine' })
  assert.deepEqual(filled('https://a.mine.pages.dev/x'), {})
})

test('an escaped colon is text', () => {
  const answer = answers('/wiki/Category%3ADogs /dogs\n/wiki/Category%3ACats /wiki/Cats%3Aall')
  assert.equal(answer('/wiki/Category:Dogs'), '301 /dogs')
  assert.equal(answer('/wiki/Category%3ACats'), '301 /wiki/Cats%3Aall')
  assert.equal(answer('/wiki/Category:Birds'), null)
})

test('blanks around the paths of a redirect are no part of them', () => {
  const redirects = [
    { from: '/old ', to: ' /new\u00a0' },
    { from: '\t/app/* ', to: '/index.html ', status: 200 },
  ]
  const content = new TextEncoder().encode(JSON.stringify({ redirects }))
  const { rules, findings } = readSiteRules(
    new Map([['/masthead.json', content]]),
    (path) => path === '/index.html',
  )
  assert.deepEqual(findings, [])
  const matcher = new RedirectMatcher(rules.redirects)
  const answer = (path: string) =>
    matcher.match({ path, hostname: 'site.example', query: '', acceptLanguage: undefined })?.answer
  const [moved, shown] = [answer('/old'), answer('/app/x')]
  assert.equal(moved?.kind === 'redirect' && moved.location, '/new')
  assert.equal(shown?.kind === 'file' && shown.path, '/index.html')
})

test('the headers of the Netlify documentation', () => {
  const at = headersAt(`
# a path:
/templates/index.html
  # headers for that path:
  X-Frame-Options: DENY
# another path:
/templates/index2.html
  # headers for that path:
  X-Frame-Options: SAMEORIGIN
/cached/*
  cache-control: max-age=0
  cache-control: no-cache
  cache-control: no-store
  cache-control: must-revalidate
`)
  assert.deepEqual(at('/templates/index.html'), { 'x-frame-options': 'DENY' })
  assert.deepEqual(at('/templates/index2.html'), { 'x-frame-options': 'SAMEORIGIN' })
  assert.deepEqual(at('/cached/a/b'), { 'cache-control': 'max-age=0, no-cache, no-store, must-revalidate' })
})
