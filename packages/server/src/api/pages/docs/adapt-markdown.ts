import { posix } from 'node:path'

export interface Surroundings {
  /** The address of this server. */
  server: string
  /** The addresses of the packages it offers, by the name of their archive. */
  packages: Readonly<Record<string, string>>
  /** The titles of the guides that are served, by file name. */
  titles: ReadonlyMap<string, string>
}

const fence = /^([ \t]*)(`{3,}|~{3,})(\w*)[^\n]*\n[\s\S]*?^\1\2[^\n]*$/gm
const link = /(!?)\[((?:[^\]`]|`[^`]*`)*)\]\(([^)\s]+)\)/g

/**
 * A guide as this server shows it: examples have the server's own address, so that they can be run as they are, and
 * links lead to what is served. What is only in the repository is named instead.
 */
export function adaptMarkdown(markdown: string, around: Surroundings): string {
  const adapted: string[] = []
  let end = 0
  for (const block of markdown.matchAll(fence)) {
    adapted.push(adaptText(markdown.slice(end, block.index), around))
    adapted.push(block[3] === 'sh' ? adaptCommands(block[0], around) : ownAddress(block[0], around))
    end = block.index + block[0].length
  }
  return adapted.join('') + adaptText(markdown.slice(end), around)
}

function adaptText(text: string, around: Surroundings): string {
  return ownAddress(text, around).replace(link, (whole, image: string, label: string, target: string) => {
    if (/^(?:[a-z][a-z0-9+.-]*:|\/|#)/i.test(target) || image === '!') return whole
    const [path = '', anchor] = target.split('#')
    const title = around.titles.get(path)
    if (title !== undefined) {
      const shown = label === path || label === `docs/${path}` ? title : label
      return `[${shown}](${path}${anchor === undefined ? '' : `#${anchor}`})`
    }
    const file = posix.join('docs', path)
    return file.startsWith('docs/') ? label : `${label} (\`${file}\`)`
  })
}

/** Without a checkout, `npx masthead` would be somebody else's package. */
function adaptCommands(text: string, around: Surroundings): string {
  return ownAddress(text, around)
    .replaceAll('http://localhost:8080', around.server)
    .replaceAll('npx masthead ', `npx ${around.packages.masthead} `)
}

const offered = /https:\/\/masthead\.example\/\w+\/(masthead[a-z-]*)-\d[\w.-]*\.tgz/g

function ownAddress(text: string, { server, packages }: Surroundings): string {
  return text
    .replaceAll(offered, (example, name: string) => packages[name] ?? example)
    .replaceAll(/https:\/\/masthead\.example(?![\w-]|\.\w)/g, server)
}
