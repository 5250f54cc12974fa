import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client'

/** The metrics of a process, as they travel between processes: JSON has no NaN, which becomes null. */
export type ProcessMetrics = (Omit<MetricObjectWithValues<MetricValue<string>>, 'values'> & {
  values: (Omit<MetricValue<string>, 'value'> & { value: number | null })[]
})[]

/** By the number of the edge process. */
export type EdgeMetrics = ReadonlyMap<number, ProcessMetrics>

/**
 * The metrics of this process together with those of its edge processes, which are told apart by a label. They are not
 * added up: a counter would go backwards whenever a process is restarted or does not answer.
 */
export class GatheredMetrics {
  readonly own = new Registry()
  #readEdges: () => Promise<EdgeMetrics> = async () => new Map()

  get contentType(): Registry['contentType'] {
    return this.own.contentType
  }

  addEdges(read: () => Promise<EdgeMetrics>): void {
    this.#readEdges = read
  }

  async metrics(): Promise<string> {
    const edges = await this.#readEdges()
    if (edges.size === 0) return this.own.metrics()
    const labelled = Array.from(edges, ([number, metrics]) => withLabel(metrics, String(number)))
    const own = withoutAggregation(await this.own.getMetricsAsJSON())
    return AggregatorRegistry.aggregate([own, ...labelled]).metrics()
  }
}

function withLabel(metrics: ProcessMetrics, edge_process: string): ProcessMetrics {
  return withoutAggregation(metrics).map((metric) => ({
    ...metric,
    values: metric.values.map(({ labels, value, ...rest }) => ({
      ...rest,
      labels: { ...labels, edge_process },
      value: value ?? Number.NaN,
    })),
  }))
}

/** Every value has labels of its own, so a sum leaves it unchanged. Some metrics would otherwise be left out. */
function withoutAggregation(metrics: ProcessMetrics): ProcessMetrics {
  return metrics.map((metric) => ({ ...metric, aggregator: 'sum' }))
}
