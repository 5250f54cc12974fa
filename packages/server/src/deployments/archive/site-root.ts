/**
 * The folder of an archive that is the site, `/` or `/site/`. Who packs a folder mostly means what is in it: where
 * everything lies in one folder, and the front page with it, that folder is the site.
 */
export function siteRootOf(paths: ReadonlySet<string>): string {
  const [first = '/'] = paths
  const folder = first.slice(0, first.indexOf('/', 1) + 1)
  if (folder === '' || !paths.has(`${folder}index.html`)) return '/'
  for (const path of paths) if (!path.startsWith(folder)) return '/'
  return folder
}
