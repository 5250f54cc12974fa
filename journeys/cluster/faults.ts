import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, type ClusterNode, type Engine, engines } from './cluster.ts'

export interface Fault {
  name: string
  /** Null for one that all nodes feel. */
  node: ClusterNode | null
  engine: Engine | null
  /** What is counted in Redis is lost. */
  emptiesRedis?: true
  begin(): Promise<void> | void
  end(): Promise<void> | void
}

/** Everything that can be killed, paused or cut, each once. */
export function faultsOf({ nodes, postgres, redis, swift }: Cluster): Fault[] {
  const ofNodes = nodes.flatMap((node): Fault[] => [
    {
      name: `node ${node.name} is killed`,
      node,
      engine: null,
      begin: () => node.process.kill(),
      end: () => node.process.restart(),
    },
    {
      name: `node ${node.name} is paused`,
      node,
      engine: null,
      begin: () => node.process.signal('SIGSTOP'),
      end: () => node.process.signal('SIGCONT'),
    },
    ...engines.map((engine) => ({
      name: `node ${node.name} is cut off from ${engine}`,
      node,
      engine,
      begin: () => node.links[engine].sever(),
      end: () => node.links[engine].mend(),
    })),
    {
      name: `connections of node ${node.name} to postgres fall silent`,
      node,
      engine: 'postgres',
      begin: () => node.links.postgres.freeze(),
      end: () => {},
    },
  ])
  const all = { node: null }
  return [
    ...ofNodes,
    {
      ...all,
      name: 'postgres crashes',
      engine: 'postgres',
      begin: () => postgres.crash(),
      end: () => postgres.start(),
    },
    {
      ...all,
      name: 'postgres is paused',
      engine: 'postgres',
      begin: () => postgres.pause(),
      end: () => postgres.resume(),
    },
    {
      ...all,
      name: 'redis is killed and comes back empty',
      engine: 'redis',
      emptiesRedis: true,
      begin: () => redis.stop(),
      end: () => redis.start(),
    },
    {
      ...all,
      name: 'redis is paused',
      engine: 'redis',
      begin: () => redis.pause(),
      end: () => redis.resume(),
    },
    {
      ...all,
      name: 'S3 is killed',
      engine: 'files',
      begin: () => swift.stop(),
      end: () => swift.start(),
    },
    { ...all, name: 'S3 is paused', engine: 'files', begin: () => swift.pause(), end: () => swift.resume() },
  ]
}

/** Which faults there were, and which there are now. */
export class FaultLog {
  readonly #start = Date.now()
  readonly faults: { fault: Fault; from: number; to: number }[] = []
  readonly lines: string[] = []
  readonly #say: (line: string) => void

  /** `say` gets each line when its fault is over, for trials that somebody watches. */
  constructor(say: (line: string) => void = () => {}) {
    this.#say = say
  }

  /** Lets the fault last for a while, and ends when the cluster is whole again. */
  async run(fault: Fault, holdMs: number, isWhole: () => Promise<void>): Promise<void> {
    const entry = { fault, from: Date.now(), to: Number.POSITIVE_INFINITY }
    this.faults.push(entry)
    await fault.begin()
    await sleep(holdMs)
    await fault.end()
    const mended = Date.now()
    await isWhole()
    entry.to = Date.now()
    const seconds = (ms: number) => (ms / 1000).toFixed(1)
    const line =
      `${seconds(entry.from - this.#start).padStart(6)} s  ${fault.name}, ` +
      `for ${seconds(mended - entry.from)} s; whole again after ${seconds(entry.to - mended)} s`
    this.lines.push(line)
    this.#say(line)
  }

  /** Whether the node itself was killed or paused at any time since then. */
  wasDown(node: ClusterNode, since: number): boolean {
    return this.faults.some(({ fault, to }) => fault.node === node && fault.engine === null && to >= since)
  }

  /** The end of the last fault that kept changes from the node. */
  lastDeaf(node: ClusterNode): number {
    const deaf = this.faults.filter(
      ({ fault }) =>
        (fault.node === null || fault.node === node) &&
        (fault.engine === null || fault.engine === 'postgres'),
    )
    return Math.max(0, ...deaf.map(({ to }) => to))
  }

  count(matches: (fault: Fault) => boolean): number {
    return this.faults.filter(({ fault }) => matches(fault)).length
  }
}

/** The same order for the same seed. */
export function shuffled<T>(items: readonly T[], random: (below: number) => number): T[] {
  const order = items.map((item) => ({ item, rank: random(2 ** 31) }))
  return order.sort((one, other) => one.rank - other.rank).map(({ item }) => item)
}
