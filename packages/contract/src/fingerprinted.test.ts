import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFingerprinted } from './fingerprinted.ts'

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
    // Hugo
    '/css/style.min.3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b.css',
    // Astro
    '/_astro/index.DkP8s1Qz.css',
    '/_astro/hoisted.Bw3E2x1a.js',
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

test('a name of any length takes one look', () => {
  for (const name of ['a1'.repeat(50_000), '-.'.repeat(50_000), 'aB3'.repeat(30_000), '/'.repeat(90_000)]) {
    assert.equal(isFingerprinted(`/${name}.js`), false)
  }
})
