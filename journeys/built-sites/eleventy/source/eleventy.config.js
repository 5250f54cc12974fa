export default function configure(eleventy) {
  eleventy.addBundle('css', { toFileDirectory: 'bundle' })
  eleventy.addPassthroughCopy({ public: '/' })
}

export const config = { dir: { input: 'content', includes: '../layouts', output: 'built' } }
