import { defineConfig } from 'vitepress'

export default defineConfig({
  title: 'Tides',
  cleanUrls: true,
  themeConfig: {
    nav: [{ text: 'Guide', link: '/guide/' }],
    sidebar: [
      { text: 'Guide', link: '/guide/' },
      { text: 'Harbour', link: '/guide/harbour' },
    ],
  },
  vite: { build: { assetsInlineLimit: 0 } },
})
