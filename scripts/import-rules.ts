/**
 * Who may import whom, and why. `check-imports.ts` holds the code against these tables; ARCHITECTURE.md draws
 * the same arrows for people.
 */

export interface UnitRule {
  folder: string
  /** Our own packages that its code may import, and those that its tests may import besides. */
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
    why: 'the contract is the floor that everybody stands on',
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
    mayImport: ['testing', contract],
    testsMayImport: [],
    why: 'scripts run the parts, they do not take part',
  },
]

/**
 * The floors of packages/server/src, top to bottom. Upper imports lower, never the reverse; neighbours on one
 * floor do not import each other.
 */
export const server = 'packages/server/src'
export const serverFloors: readonly (readonly string[])[] = [
  ['operator-commands'],
  ['start'],
  ['edge-processes'],
  ['api', 'edge'],
  ['lab'],
  ['domains'],
  ['certificates'],
  ['deployments'],
  ['projects'],
  ['keys'],
  ['people'],
  ['accounts'],
  ['events', 'limits'],
  ['secrets'],
  ['dns', 'database', 'blobs'],
  ['config'],
  ['kernel'],
]

/** Pages at the top, then what several pages share and what is loaded, then parts without product words. */
const dashboard = 'packages/dashboard/src'

const features = '{api,secrets,deployments,projects,keys,people,accounts,domains,certificates,events,limits}'

export interface PrivateRule {
  /** Globs of files that are not for everybody, … */
  files: readonly string[]
  except?: readonly string[]
  /** … the importers that the rule is about (everybody by default), … */
  from?: readonly string[]
  /** … and those that may import them all the same. */
  openTo: readonly (string | typeof ownFeature)[]
  /** Types carry no behaviour, and some rules let them pass. */
  typesPass: boolean
  testsPass: boolean
  why: string
}

export const ownFeature = Symbol('the folder below packages/server/src that the imported file is in')

export const privateFiles: readonly PrivateRule[] = [
  {
    files: [`${server}/${features}/**/*store.ts`],
    openTo: [ownFeature],
    typesPass: false,
    testsPass: true,
    why: 'the SQL of a feature is its own business; ask one of its verbs',
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
      `${server}/operator-commands/rotate-master-key.ts`,
      `${server}/operator-commands/change-account-key.ts`,
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
    why: 'a certificate is for a name, whoever owns it',
  },
  {
    files: [`${dashboard}/**`],
    except: [`${dashboard}/ui/**`],
    from: [`${dashboard}/ui/**`],
    openTo: [],
    typesPass: false,
    testsPass: false,
    why: 'the parts that pages are made of know nothing of the product',
  },
  {
    files: [`${dashboard}/pages/**`],
    from: [`${dashboard}/layout/**`],
    openTo: [],
    typesPass: false,
    testsPass: false,
    why: 'the layout frames any page and knows none',
  },
  {
    files: [`${dashboard}/{pages,layout}/**`],
    from: [`${dashboard}/{api,data,form,publish,activity}/**`],
    openTo: [],
    typesPass: false,
    testsPass: false,
    why: 'pages stand on what is loaded and done, never the reverse',
  },
]

/** The one file that reads the environment in each of these folders; tests aside. */
export const environmentReaders: readonly { folder: string; reader: string; why: string }[] = [
  {
    folder: server,
    reader: `${server}/config/config.ts`,
    why: 'settings are read once, checked and documented',
  },
]
