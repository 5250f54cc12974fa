import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentTypeOf, isCompressible } from './content-type.ts'

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
  ['/logo.svgz', 'image/svg+xml'],
  ['/favicon.ico', 'image/x-icon'],
  ['/font.woff2', 'font/woff2'],
  ['/film.m3u8', 'application/vnd.apple.mpegurl'],
  ['/report.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['/table.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['/talk.pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['/report.odt', 'application/vnd.oasis.opendocument.text'],
  ['/song.flac', 'audio/flac'],
  ['/song.m4a', 'audio/mp4'],
  ['/song.wav', 'audio/wav'],
  ['/film.m4v', 'video/x-m4v'],
  ['/film.mp4', 'video/mp4'],
  ['/film.ts', 'video/mp2t'],
  ['/font.eot', 'application/vnd.ms-fontobject'],
  ['/all.7z', 'application/x-7z-compressed'],
  ['/all.tgz', 'application/gzip'],
  ['/all.tar.zst', 'application/zstd'],
  ['/app.apk', 'application/vnd.android.package-archive'],
  ['/ticket.pkpass', 'application/vnd.apple.pkpass'],
  ['/vpn.mobileconfig', 'application/x-apple-aspen-config'],
  ['/chair.usdz', 'model/vnd.usdz+zip'],
  ['/map.geojson', 'application/geo+json'],
  ['/card.vcf', 'text/vcard; charset=utf-8'],
  ['/dates.ics', 'text/calendar; charset=utf-8'],
  ['/captions.vtt', 'text/vtt; charset=utf-8'],
  ['/page.xhtml', 'application/xhtml+xml'],
  ['/feed.rss', 'application/rss+xml'],
  ['/config.yaml', 'text/yaml; charset=utf-8'],
  ['/lib.cjs', 'text/javascript; charset=utf-8'],
  ['/.well-known/apple-app-site-association', 'application/json'],
  ['/apple-app-site-association', 'application/json'],
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

test('text, code, data and plain fonts are worth compressing', () => {
  for (const name of [
    'index.html',
    'app.js',
    'app.mjs',
    'style.css',
    'data.json',
    'app.js.map',
    'site.webmanifest',
    'logo.svg',
    'feed.xml',
    'atom.atom',
    'readme.txt',
    'a.md',
    'a.csv',
    'a.wasm',
    'a.ttf',
    'a.otf',
    'favicon.ico',
    'a.bmp',
    'deep/er/PAGE.HTML',
  ]) {
    assert.equal(isCompressible(`/${name}`), true, name)
  }
})

test('files that are compressed already, or of unknown type, are left alone', () => {
  for (const name of [
    'a.png',
    'a.jpg',
    'a.webp',
    'a.avif',
    'a.gif',
    'a.mp4',
    'a.webm',
    'a.mp3',
    'a.woff',
    'a.woff2',
    'a.zip',
    'a.gz',
    'a.svgz',
    'A.SVGZ',
    'a.pdf',
    'LICENSE',
    'a.unknown',
  ]) {
    assert.equal(isCompressible(`/${name}`), false, name)
  }
})
