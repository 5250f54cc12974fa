export default {
  title: 'Tides',
  url: 'https://tides.example',
  baseUrl: '/',
  favicon: 'icon.svg',
  onBrokenLinks: 'throw',
  plugins: [['@docusaurus/plugin-content-docs', { routeBasePath: '/', sidebarPath: './sidebars.js' }]],
  themes: ['@docusaurus/theme-classic'],
  themeConfig: { navbar: { title: 'Tides' }, prism: { additionalLanguages: [] } },
}
