/**
 * Who may import whom, and why. `check-imports.ts` checks the code against these tables; ARCHITECTURE.md draws the
 * same arrows for people.
 */

export interface UnitRule {
  folder: string
  /** Our own packages that its code may import, and those that only its tests may import. */
  mayImport: readonly string[]
  testsMayImport: readonly string[]
  why: string
}

const contract = 'packages/contract'
const client = 'packages/client'

export const units: readonly UnitRule[] = [
  {
    folder: 'packages/contract',
    mayImport: [],
    testsMayImport: ['testing'],
    why: 'everything else is built on the contract',
  },
  {
    folder: 'packages/client',
    mayImport: [contract],
    testsMayImport: ['testing'],
    why: 'the client knows the API, never the server behind it',
  },
  {
    folder: 'packages/cli',
    mayImport: [client, contract],
    testsMayImport: ['testing'],
    why: 'the command line is only a client of the API',
  },
  {
    folder: 'packages/dashboard',
    mayImport: [client, contract],
    testsMayImport: ['testing'],
    why: 'the dashboard is only a client of the API',
  },
  {
    folder: 'packages/server',
    mayImport: [contract],
    testsMayImport: ['testing'],
    why: 'the server shares the contract with its clients and nothing else',
  },
  {
    folder: 'testing',
    mayImport: [],
    testsMayImport: [],
    why: 'tests meet the product from outside, through real processes',
  },
  {
    folder: 'journeys',
    mayImport: ['testing', contract, client],
    testsMayImport: [],
    why: 'journeys start the real processes and see only what a person sees',
  },
  {
    folder: 'bench',
    mayImport: ['testing', contract, client, 'packages/server'],
    testsMayImport: [],
    why: 'benchmarks measure the real processes from outside, and single decisions of the server',
  },
  {
    folder: 'scripts',
    mayImport: ['testing', contract, client],
    testsMayImport: [],
    why: 'scripts run the product and are no part of it',
  },
]

const server = 'packages/server/src'
const dashboard = 'packages/dashboard/src'
const cli = 'packages/cli/src'

export interface FloorRule {
  folder: string
  /**
   * What is directly below the folder, top to bottom. A part imports the floors below it, never one above it or
   * another part on its own floor. `*` is every file of the folder that the table does not name; `a|b` is one part.
   */
  floors: readonly (readonly string[])[]
  /** Type imports may point up. */
  typesPass?: true
  /** Tests may set up their scene with what is above them, except here. */
  testsToo?: true
}

export const floorRules: readonly FloorRule[] = [
  {
    folder: server,
    floors: [
      ['operator-commands'],
      ['start', 'backup'],
      ['edge-processes', 'handover'],
      ['api', 'edge'],
      ['lab', 'doctor'],
      ['domains'],
      ['certificates', 'memberships'],
      ['deployments', 'trusted-publishers'],
      ['projects'],
      ['protection'],
      ['keys'],
      ['mail'],
      ['people', 'webhooks'],
      ['accounts'],
      ['events', 'limits'],
      ['secrets', 'outgoing', 'store-check'],
      ['dns', 'database', 'blobs'],
      ['config'],
      ['kernel'],
    ],
  },
  {
    folder: `${server}/api`,
    floors: [
      ['server.ts'],
      ['routes', 'bind.ts'],
      ['health', 'pages', 'idempotency.ts'],
      ['handler.ts'],
      ['identity', 'live', '*'],
      ['request'],
    ],
  },
  {
    folder: `${server}/edge`,
    floors: [
      ['*'],
      ['http2', 'node-http'],
      ['http1'],
      ['tls'],
      ['sites'],
      ['http-date.ts', 'kept-heads.ts', 'site-answers.ts'],
      ['assets', 'response-counts.ts'],
      ['protection'],
      ['accept', 'cache'],
      ['sockets'],
    ],
  },
  {
    folder: `${server}/domains`,
    floors: [
      ['lifecycle.ts', 'operator-views.ts', 'read.ts'],
      ['checks', 'own-certificate'],
      ['claims'],
      ['https'],
      ['config'],
      ['proofs'],
      ['timeline', 'dns-check'],
      ['*'],
    ],
  },
  {
    folder: `${server}/certificates`,
    floors: [
      ['platform', 'orders', 'failing', 'renew.ts', 'operator-view.ts'],
      ['challenge-dns', 'acme-account', 'internal-ca', 'tickets', 'read.ts', 'certificate-state.ts'],
      ['authorities'],
      ['jobs'],
      ['own'],
      ['*'],
      ['caa', 'acme'],
      ['x509'],
    ],
  },
  { folder: `${server}/deployments`, floors: [['upload'], ['encode', 'archive', 'sweep', 'listing'], ['*']] },
  { folder: `${server}/people`, floors: [['profile'], ['sign-in'], ['*']] },
  { folder: `${server}/limits`, floors: [['redis'], ['*']] },
  {
    folder: cli,
    floors: [
      ['main.ts'],
      ['commands.ts'],
      ['commands'],
      ['deploy', 'mcp'],
      ['domains', 'completion', 'webhooks'],
      ['*'],
      ['project'],
      ['arguments'],
      ['errors|terminal'],
    ],
    typesPass: true,
  },
  {
    folder: dashboard,
    floors: [
      ['main.tsx', 'docs'],
      ['routes.tsx'],
      ['pages'],
      ['layout'],
      ['publish', 'form', 'activity'],
      ['data'],
      ['api'],
      ['*'],
      ['ui'],
    ],
    testsToo: true,
  },
  {
    folder: `${dashboard}/pages/project/settings/domains`,
    floors: [['add', 'remove'], ['config'], ['*'], ['state']],
    typesPass: true,
  },
  { folder: 'testing', floors: [['clients', 'load'], ['peers'], ['*']] },
]

export interface PrivateRule {
  /** Globs of the files that the rule protects. */
  files: readonly string[]
  except?: readonly string[]
  /** The importers it is about; everybody by default. */
  from?: readonly string[]
  /** The importers it lets pass. */
  openTo: readonly (string | typeof ownFeature)[]
  typesPass: boolean
  testsPass: boolean
  why: string
}

export const ownFeature = Symbol('the folder below packages/server/src that the imported file is in')

export const privateFiles: readonly PrivateRule[] = [
  {
    files: [`${server}/**/*store.ts`],
    // These store files, not rows, and are made for everyone.
    except: [`${server}/blobs/**`],
    openTo: [ownFeature],
    typesPass: false,
    testsPass: true,
    why: 'only a feature itself runs its SQL; call one of its verbs',
  },
  {
    files: [`${server}/{deployments,projects,keys,people,accounts,domains,certificates}/**`],
    except: [`${server}/*/read.ts`, `${server}/deployments/manifest.ts`],
    from: [`${server}/edge/**`],
    openTo: [],
    typesPass: true,
    testsPass: true,
    why: 'the edge reads features through their read.ts, so that serving stays apart from changing',
  },
  {
    files: [`${server}/config/config.ts`],
    openTo: [
      `${server}/start/main.ts`,
      `${server}/operator-commands/run-command.ts`,
      `${server}/operator-commands/doctor.ts`,
    ],
    typesPass: true,
    testsPass: true,
    why: 'a program reads the configuration once and passes it in',
  },
  {
    files: [`${server}/domains/**`],
    from: [`${server}/certificates/**`],
    openTo: [],
    typesPass: false,
    testsPass: false,
    why: 'certificates know hostnames and not who owns them',
  },
  {
    files: [`${server}/database/**`, `${server}/**/*store.ts`],
    from: [`${server}/domains/dns-check/**`],
    openTo: [],
    typesPass: true,
    testsPass: true,
    why: 'a DNS check is decided by what the DNS says',
  },
  {
    files: [`${contract}/src/{schemas/**,routes.ts,openapi.ts,project-file.ts}`],
    from: [`${cli}/**`, `${dashboard}/**`],
    openTo: [`${cli}/project/parse-project-file.ts`, `${cli}/mcp/tools.ts`, `${cli}/recognize-answer.ts`],
    typesPass: true,
    testsPass: true,
    why: 'it loads zod, which would slow down every command and every page',
  },
]

/** The one file of a folder that reads the environment. Tests may read it too. */
export const environmentReaders: readonly { folder: string; reader: string; why: string }[] = [
  {
    folder: server,
    reader: `${server}/config/config.ts`,
    why: 'settings are read once, checked and documented',
  },
]
