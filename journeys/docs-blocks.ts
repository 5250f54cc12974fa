import { readFileSync } from 'node:fs'

/** A block of code in a page of the docs, as the server shows it. */
export interface DocBlock {
  /** `/docs/cli.md` */
  page: string
  language: string
  text: string
}

/** Every block of every guide. Those of the reference are generated, and run elsewhere. */
export async function readGuideBlocks(origin: string): Promise<DocBlock[]> {
  const overview = await (await fetch(`${origin}/llms.txt`)).text()
  const paths = [...overview.matchAll(/\]\((\/docs\/[\w-]+\.md)\)/g)].map(([, path = '']) => path)
  const pages = await Promise.all(
    ['/docs/index.md', ...paths].map(async (page) => ({
      page,
      markdown: await (await fetch(origin + page)).text(),
    })),
  )
  return pages.flatMap(({ page, markdown }) =>
    [...markdown.matchAll(/^([ \t]*)```(\w*)\n([\s\S]*?)^\1```/gm)].map(
      ([, , language = '', text = '']): DocBlock => ({ page, language, text }),
    ),
  )
}

/** How a block is tried: as commands, as a program, or as a file that a command reads. */
export type Trial =
  | { kind: 'commands'; where?: 'checkout'; until?: RegExp }
  | { kind: 'program'; file: string }
  /** `masthead rules check` reads it in a folder of its own. */
  | { kind: 'site file'; file: string }
  /** The answer to this request has the same members, or the same headers. */
  | { kind: 'answer'; of: string }
  | { kind: 'not here'; why: string; test?: string }

interface Row {
  page: string
  /** A part of the block that no other one of the page has. */
  has: string
  trial: Trial
}

const servers = 'starts a server of its own'

/** Blocks with `sh` are commands for an empty folder unless they are listed here; every other block is listed. */
const rows: readonly Row[] = [
  { page: 'client', has: 'createClient', trial: { kind: 'program', file: 'publish.mjs' } },
  { page: 'client', has: 'plans.free', trial: { kind: 'program', file: 'plans.mjs' } },
  { page: 'webhooks', has: 'webhooks listen', trial: { kind: 'commands', until: /^Listening to/m } },
  {
    page: 'certificates',
    has: 'NS  ns.acme',
    trial: { kind: 'not here', why: 'records of the zone of an operator' },
  },
  ...['permissions:', 'include:', 'tags:'].map((has): Row => {
    const why = 'needs a runner of its platform'
    return {
      page: 'pipelines',
      has,
      trial: { kind: 'not here', why, test: 'packages/cli/src/integrations.test.ts' },
    }
  }),
  {
    page: 'pipelines',
    has: 'ID_TOKEN',
    trial: {
      kind: 'not here',
      why: 'needs a token of a pipeline',
      test: 'packages/server/src/api/routes/trusted-publishers.test.ts',
    },
  },
  {
    page: 'certificates',
    has: 'EAB_KID',
    trial: {
      kind: 'not here',
      why: 'asks public certificate authorities',
      test: 'packages/server/src/certificates/acme-account/registration.test.ts',
    },
  },
  {
    page: 'certificates',
    has: 'domains certificate',
    trial: {
      kind: 'not here',
      why: 'needs a certificate of a public authority',
      test: 'packages/server/src/api/routes/own-certificate.test.ts',
    },
  },
  {
    page: 'proxies',
    has: 'domains proxied',
    trial: {
      kind: 'not here',
      why: 'needs a domain of the project',
      test: 'packages/cli/src/commands/proxied.test.ts',
    },
  },
  {
    page: 'proxies',
    has: '"ranges"',
    trial: {
      kind: 'not here',
      why: 'is read when a server starts',
      test: 'packages/server/src/config/proxy-ranges.test.ts',
    },
  },
  { page: 'api', has: '/v1/stream', trial: { kind: 'commands', until: /^event: hello$/m } },
  { page: 'cli', has: '"folder": "."', trial: { kind: 'site file', file: 'masthead.json' } },
  {
    page: 'cli',
    has: 'mcpServers',
    trial: {
      kind: 'not here',
      why: 'settings of an assistant',
      test: 'packages/cli/src/commands/mcp.test.ts',
    },
  },
  { page: 'cli', has: 'primary: www.acme.com', trial: { kind: 'site file', file: 'masthead.yaml' } },
  { page: 'domains', has: '# masthead.yaml', trial: { kind: 'site file', file: 'masthead.yaml' } },
  {
    page: 'site-rules',
    has: '/news/:year/:slug  /archive',
    trial: { kind: 'site file', file: '_redirects' },
  },
  { page: 'site-rules', has: 'X-Embed', trial: { kind: 'site file', file: '_headers' } },
  { page: 'site-rules', has: 'rel=preconnect', trial: { kind: 'site file', file: '_headers' } },
  { page: 'site-rules', has: 'htmlHandling', trial: { kind: 'site file', file: 'masthead.yaml' } },
  { page: 'protected-sites', has: 'Basic-Auth', trial: { kind: 'site file', file: '_headers' } },
  { page: 'protected-sites', has: '"protect"', trial: { kind: 'site file', file: 'masthead.json' } },
  { page: 'errors', has: 'not_found', trial: { kind: 'answer', of: '/v1/projects/nothing-here' } },
  { page: 'limits', has: '200 OK', trial: { kind: 'answer', of: '/v1/projects' } },
  {
    page: 'limits',
    has: '429 Too Many',
    trial: {
      kind: 'not here',
      why: 'needs a used-up limit',
      test: 'journeys/limits-clients.test.ts',
    },
  },
  {
    page: 'findings',
    has: 'cname_other',
    trial: {
      kind: 'not here',
      why: 'needs a domain with wrong DNS',
      test: 'packages/server/src/domains/dns-check/judge.test.ts',
    },
  },
  {
    page: 'webhooks',
    has: 'POST /hooks',
    trial: {
      kind: 'not here',
      why: 'is what a server sends',
      test: 'packages/server/src/webhooks/delivery/send.test.ts',
    },
  },
  {
    page: 'webhooks',
    has: "standardwebhooks'",
    trial: {
      kind: 'not here',
      why: 'a part of a program, with a package of the registry',
      test: 'packages/cli/src/commands/account/webhooks.test.ts',
    },
  },
  {
    page: 'webhooks',
    has: 'standardwebhooks.webhooks',
    trial: { kind: 'not here', why: 'needs Python and a package of its registry' },
  },
  {
    page: 'configuration',
    has: 'MASTHEAD_LOG=debug npm start',
    trial: { kind: 'not here', why: servers, test: 'journeys/first-minute.test.ts' },
  },
  {
    page: 'certificates',
    has: 'letsencrypt npm start',
    trial: {
      kind: 'not here',
      why: 'asks a public certificate authority',
      test: 'journeys/certificates-live.test.ts',
    },
  },
  {
    page: 'operations',
    has: 'MASTHEAD_EDGE_ADDRESSES=',
    trial: {
      kind: 'not here',
      why: servers,
      test: 'packages/server/src/config/reference-installations.test.ts',
    },
  },
  {
    page: 'operations',
    has: '--replace',
    trial: { kind: 'not here', why: servers, test: 'journeys/rolling-restart.test.ts' },
  },
  {
    page: 'operations',
    has: 'MASTHEAD_BLOBS=',
    trial: { kind: 'not here', why: 'settings', test: 'journeys/files-in-s3.test.ts' },
  },
  {
    page: 'operations',
    has: 'MASTHEAD_S3_ENDPOINT=https',
    trial: { kind: 'not here', why: 'settings', test: 'journeys/files-in-s3.test.ts' },
  },
  {
    page: 'operations',
    has: 'MastheadUnavailable',
    trial: {
      kind: 'not here',
      why: 'settings of Prometheus',
      test: 'journeys/alerts.test.ts',
    },
  },
  { page: 'operations', has: 'scrape_configs', trial: { kind: 'not here', why: 'settings of Prometheus' } },
  { page: 'operations', has: 'rotate-master-key', trial: { kind: 'commands', where: 'checkout' } },
  {
    page: 'operations',
    has: 'change-account-key',
    trial: {
      kind: 'not here',
      why: 'needs a certificate authority',
      test: 'packages/server/src/operator-commands/masthead-server.test.ts',
    },
  },
  {
    page: 'operations',
    has: 'replace-ca-account',
    trial: {
      kind: 'not here',
      why: 'needs a certificate authority',
      test: 'packages/server/src/operator-commands/replace-ca-account.test.ts',
    },
  },
  {
    page: 'operations',
    has: 'move --to',
    trial: { kind: 'not here', why: 'needs PostgreSQL and S3', test: 'journeys/growing-up.test.ts' },
  },
  { page: 'operations', has: 'backup /', trial: { kind: 'commands', where: 'checkout' } },
  { page: 'operations', has: 'verify /', trial: { kind: 'commands', where: 'checkout' } },
  { page: 'operations', has: 'check-files --from', trial: { kind: 'commands', where: 'checkout' } },
]

/** How each block is tried, and what is wrong with the table. */
export function planTrials(blocks: readonly DocBlock[]): { trials: [DocBlock, Trial][]; faults: string[] } {
  const faults: string[] = []
  const used = new Set<Row>()
  const trials = blocks.flatMap((block): [DocBlock, Trial][] => {
    const found = rows.filter(
      ({ page, has }) => block.page === `/docs/${page}.md` && block.text.includes(has),
    )
    for (const row of found) used.add(row)
    const [row] = found
    if (found.length > 1) faults.push(`${nameOf(block)}: several rows fit`)
    if (row !== undefined) return [[block, row.trial]]
    if (block.language === 'sh') return [[block, { kind: 'commands' }]]
    faults.push(`${nameOf(block)}: no row says how to try it`)
    return []
  })
  for (const row of rows) {
    if (!used.has(row)) faults.push(`${row.page}: no block has “${row.has}”`)
    if (row.trial.kind === 'not here' && row.trial.test !== undefined)
      readFileSync(new URL(`../${row.trial.test}`, import.meta.url))
  }
  return { trials, faults }
}

export function nameOf({ page, text }: DocBlock): string {
  return `${page}, “${text.split('\n')[0]}”`
}
