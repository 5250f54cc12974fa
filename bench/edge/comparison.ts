import { ratio, type Table, whole } from '../report.ts'
import type { Contender } from './contenders.ts'
import { targets } from './targets.ts'

export interface ComparedRow {
  name: string
  /** Of each contender, Masthead first; more is better. */
  figures: readonly number[]
}

/** Masthead's figure beside those of its rivals, the ratios, and whether each target holds. */
export function compare(
  title: string,
  contenders: readonly Pick<Contender, 'name'>[],
  rows: readonly ComparedRow[],
  notes: readonly string[],
): Table {
  const [, ...rivals] = contenders.map(({ name }) => name)
  const nginx = rivals.indexOf('nginx')
  const broken: string[] = []
  const written = rows.map(({ name, figures: [masthead = 0, ...others] }) => {
    const target = targets[name]
    const reached = masthead / (others[nginx] ?? Number.NaN)
    const holds = target === undefined || reached >= target
    if (!holds) broken.push(`${name}: ${reached.toFixed(2)}× nginx instead of ${target}×.`)
    return [
      name,
      ...[masthead, ...others].map(whole),
      ...others.map((other) => ratio(masthead, other)),
      ...(target === undefined ? ['', ''] : [`${target.toFixed(2)}×`, holds ? 'yes' : 'no']),
    ]
  })
  return {
    title,
    columns: ['', 'Masthead', ...rivals, ...rivals.map((name) => `to ${name}`), 'target', 'holds'],
    rows: written,
    notes,
    broken,
  }
}
