import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fingerprints, isFingerprinted } from './fingerprinted.ts'

test('names that builds put a hash into are recognised', () => {
  for (const path of [
    // Vite and Rollup
    '/assets/index-BxY3kd9a.js',
    '/assets/index-C3kSW2xq.css',
    '/assets/index-Cx-3kW_q.css',
    '/app/assets/logo-D7sK2p0f.svg',
    '/assets/safari-na3_-uQk.svg',
    '/assets/codeMirrorModule-D5SeAdMv.js',
    '/legacy/classPrivateFieldSet2-CWIQ5CvM.js',
    // webpack and Create React App
    '/static/js/main.8f2a1c3d.js',
    '/static/js/787.28cb0dcd.chunk.js',
    '/static/css/main.e6c13ad2.css',
    '/static/js/main.8f2a1c3d.js.map',
    '/main.4f7d1a2b9c3e5d6f7a8b.js',
    // Next
    '/_next/static/chunks/main-4f7d1a2b9c3e5d6f.js',
    '/_next/static/chunks/pages/index-1a2b3c4d5e6f7a8b.js',
    '/_next/static/css/5e8f1b2c3d4e5f6a.css',
    '/_next/static/chunks/2vjiy1nq46ifk.js',
    '/_next/static/chunks/36wyumjnpvzk-.js',
    '/_next/static/chunks/turbopack-2u1d16houkiyo.js',
    '/_next/static/dORw4uCIH5Qxr8wyHFR8M/_buildManifest.js',
    // SvelteKit and Nuxt
    '/_app/immutable/chunks/BwhUtsVv.js',
    '/_nuxt/entry.DLlVxKqg.css',
    // Hugo
    '/css/style.min.3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b.css',
    // Astro
    '/_astro/index.DkP8s1Qz.css',
    '/_astro/hoisted.Bw3E2x1a.js',
    '/_astro/index.astro_astro_type_script_index_0_lang.DiBwjJUv.js',
    '/docs/_astro/waves.C4DCW0Z6.svg',
    // Parcel
    '/index.a2b27638.js',
    '/styles.4c1e9b0d.css',
    // VitePress and Docusaurus
    '/assets/guide_index.md.C1kd83jA.lean.js',
    '/assets/js/935f2afb.8f2a1c3d.js',
    '/assets/inter-roman-latin.Di8DU4zh.woff2',
  ]) {
    assert.equal(isFingerprinted(path), true, path)
  }
})

test('names that people give are not', () => {
  for (const path of [
    ...['/jquery-migrate.js', '/bootstrap-4.min.js', '/jquery-3.7.1.min.js', '/bootstrap.bundle.min.js'],
    ...[
      '/js/app.js',
      '/css/style.css',
      '/sw.js',
      '/service-worker.js',
      '/manifest.webmanifest',
      '/robots.txt',
    ],
    ...[
      '/img/photo-1920x1080.jpg',
      '/img/hero-1024x768@2x.png',
      '/img/report-20240115.png',
      '/2024-01-15.jpg',
    ],
    ...['/IMG-20240115-WA0001.jpg', '/IMG_20240115_123456.jpg', '/DSC-00012345.jpg', '/app-v20240115.js'],
    ...['/iphone-14promax.jpg', '/bg-iPhone14.png', '/bg-MacBook13.png', '/icon-Model3Y2024.png'],
    ...[
      '/assets/bg-HomePage.png',
      '/assets/DataGrid.js',
      '/assets/user-UserInfo1.js',
      '/assets/hero-1920x1080.jpg',
    ],
    ...[
      '/video-H264Main.mp4',
      '/font-Inter400.woff2',
      '/model-resnet50v2.wasm',
      '/facade01.js',
      '/img-facade01.png',
    ],
    ...[
      '/bg-Top10List.png',
      '/assets/bg-Web3Page.png',
      '/setup-Win10x64.png',
      '/assets/Log4Shell.Log4Shell.js',
    ],
    ...['/a-deadbeef.js', '/a-12345678.js', '/a-defaced.js', '/effaced.decade90.js', '/utf8-encoder.js'],
    ...[
      '/page-8f2a1c3d.html',
      '/8f2a1c3d/index.html',
      '/post-8f2a1c3d',
      '/doc-8f2a1c3d.pdf',
      '/data-8f2a1c3d.json',
    ],
    ...['/8f2a1c3d.js', '/a.8f2a1c3.js', '/-.js', '/.js', '/', ''],
  ]) {
    assert.equal(isFingerprinted(path), false, path)
  }
})

/** What builds wrote, in this order: fingerprinted, then not. */
const builds = {
  vite: [
    [
      '/assets/harbour-BXWYJQcH.css',
      '/assets/harbour-DGEc7MiY.js',
      '/assets/index-D9aDb9l6.js',
      '/assets/index-DL65rIRg.css',
      '/assets/waves-C4DCW0Z6.svg',
    ],
    ['/index.html', '/icon.svg', '/data/tides.json'],
  ],
  vitepress: [
    [
      '/assets/app.lrjj7EMN.js',
      '/assets/chunks/framework.Cx-5KwGw.js',
      '/assets/chunks/theme.BSdJC1HH.js',
      '/assets/guide_harbour.md.BwhUtsVv.js',
      '/assets/guide_harbour.md.BwhUtsVv.lean.js',
      '/assets/guide_index.md.DghaQU9c.lean.js',
      '/assets/index.md.hvHhH2rn.js',
      '/assets/style.DS6qeA5j.css',
      '/assets/waves.C4DCW0Z6.svg',
    ],
    ['/index.html', '/hashmap.json', '/vp-icons.css'],
  ],
  docusaurus: [
    [
      '/assets/css/styles.78e6bda1.css',
      '/assets/js/17896441.a1000c51.js',
      '/assets/js/237.6b7c03d5.js',
      '/assets/js/aba21aa0.01a53991.js',
      '/assets/js/main.725c3c6b.js',
      '/assets/js/runtime~main.ca2d37cf.js',
    ],
    ['/404.html', '/icon.svg', '/assets/js/main.725c3c6b.js.LICENSE.txt'],
  ],
  parcel: [
    ['/b.55bfc1c6.js', '/b.55bfc1c6.js.map', '/names.84a83569.css', '/waves.fd2fc100.svg'],
    // A hash of digits alone could be a date.
    ['/index.html', '/d.94106899.js'],
  ],
  webpack: [
    ['/524.7392b9bb.chunk.js', '/875.02cdaee3.chunk.js', '/main.9a294bf57f797088a068.js'],
    ['/index.html'],
  ],
} as const

for (const [tool, [hashed, others]] of Object.entries(builds)) {
  test(`the files of a build by ${tool}`, () => {
    const fingerprints = new Fingerprints([...hashed, ...others])
    for (const path of hashed) assert.equal(fingerprints.has(path), true, path)
    for (const path of others) assert.equal(fingerprints.has(path), false, path)
  })
}

test('files that people put beside those of a build are told apart', () => {
  const built = builds.vite[0]
  for (const own of [
    '/assets/logo.png',
    '/assets/bg-HomePage.png',
    '/assets/app-settings.js',
    '/assets/report-20240115.png',
    '/assets/hero-1280x720.jpg',
    '/assets/TOP-TOP_NEWS.jpg',
    '/assets/data-C4DCW0Z6.json',
    '/assets/img/waves-BXWYJQcH.png',
    '/waves-BXWYJQcH.png',
  ]) {
    assert.equal(new Fingerprints([...built, own]).has(own), false, own)
  }
  // Where one in ten and more has no hash, only what is unmistakable counts.
  const mixed = new Fingerprints([...built, '/assets/jquery.js'])
  assert.equal(mixed.has('/assets/harbour-BXWYJQcH.css'), false)
  assert.equal(mixed.has('/assets/index-D9aDb9l6.js'), true)
  // Images of one's own say nothing about scripts.
  const images = new Fingerprints([...built, '/assets/logo.png', '/assets/hero.png'])
  assert.equal(images.has('/assets/harbour-BXWYJQcH.css'), true)
  assert.equal(images.has('/assets/waves-C4DCW0Z6.svg'), false)
  // A folder without a single hash is nobody's build.
  const names = ['/assets/a-MemoryFS.js', '/assets/b-AsyncAPI.js']
  for (const name of names) assert.equal(new Fingerprints(names).has(name), false, name)
})

test('a name of any length takes one look', () => {
  for (const name of ['a1'.repeat(50_000), '-.'.repeat(50_000), 'aB3'.repeat(30_000), '/'.repeat(90_000)]) {
    assert.equal(isFingerprinted(`/${name}.js`), false)
    assert.equal(new Fingerprints([`/assets/${name}.js`]).has(`/assets/${name}.js`), false)
  }
})
