import { Counter, Gauge, type Registry } from 'prom-client'

export interface CacheLog {
  info?(details: object, message: string): void
  warn(details: object, message: string): void
}

export interface CacheStats {
  /** Reads that the cache could answer, and those that had to wait for the store. */
  hits: number
  misses: number
  fetches: number
  fetchedBytes: number
  failedFetches: number
  evictedFiles: number
  evictedBytes: number
}

export function noStats(): CacheStats {
  return {
    ...{ hits: 0, misses: 0, fetches: 0, fetchedBytes: 0, failedFetches: 0 },
    ...{ evictedFiles: 0, evictedBytes: 0 },
  }
}

const counters = {
  masthead_cache_hits_total: ['hits', 'Reads of published files from the cache'],
  masthead_cache_misses_total: ['misses', 'Reads of published files that had to wait for the store'],
  masthead_cache_fetches_total: ['fetches', 'Files fetched from the store'],
  masthead_cache_fetched_bytes_total: ['fetchedBytes', 'Bytes fetched from the store'],
  masthead_cache_failed_fetches_total: ['failedFetches', 'Files that could not be fetched from the store'],
  masthead_cache_evicted_files_total: ['evictedFiles', 'Files evicted from the cache'],
  masthead_cache_evicted_bytes_total: ['evictedBytes', 'Bytes evicted from the cache'],
} as const

export function registerCacheMetrics(
  metrics: Registry,
  { stats, bytes, maxBytes }: { stats: CacheStats; bytes: () => number; maxBytes: number },
): void {
  for (const [name, [field, help]] of Object.entries(counters)) {
    new Counter({
      name,
      help,
      registers: [metrics],
      collect() {
        this.reset()
        this.inc(stats[field])
      },
    })
  }
  new Gauge({
    name: 'masthead_cache_bytes',
    help: 'Size of the cache on this machine, as far as this process knows',
    registers: [metrics],
    collect() {
      this.set(bytes())
    },
  })
  new Gauge({ name: 'masthead_cache_max_bytes', help: 'Its limit', registers: [metrics] }).set(maxBytes)
}
