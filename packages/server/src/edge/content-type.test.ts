import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentTypeOf } from './content-type.ts'

const types: [path: string, type: string][] = [
  ['/index.html', 'text/html; charset=utf-8'],
  ['/INDEX.HTML', 'text/html; charset=utf-8'],
  ['/app.js', 'text/javascript; charset=utf-8'],
  ['/app.mjs', 'text/javascript; charset=utf-8'],
  ['/style.css', 'text/css; charset=utf-8'],
  ['/robots.txt', 'text/plain; charset=utf-8'],
  ['/feed.xml', 'text/xml; charset=utf-8'],
  ['/app.js.map', 'application/json'],
  ['/data.json', 'application/json'],
  ['/site.webmanifest', 'application/manifest+json'],
  ['/lib.wasm', 'application/wasm'],
  ['/photo.avif', 'image/avif'],
  ['/photo.webp', 'image/webp'],
  ['/logo.svg', 'image/svg+xml'],
  ['/favicon.ico', 'image/x-icon'],
  ['/font.woff2', 'font/woff2'],
  ['/film.m3u8', 'application/vnd.apple.mpegurl'],
  ['/LICENSE', 'application/octet-stream'],
  ['/v1.html/LICENSE', 'application/octet-stream'],
  ['/odd.', 'application/octet-stream'],
  ['/odd.constructor', 'application/octet-stream'],
  ['/odd.__proto__', 'application/octet-stream'],
  ['/odd.nobody-knows', 'application/octet-stream'],
]

for (const [path, type] of types) {
  test(`${path} is ${type}`, () => assert.equal(contentTypeOf(path), type))
}
