import { styleText } from 'node:util'
import type { DoctorReport, DoctorStatus } from '@masthead/contract/schemas/operator.ts'

export interface Screen {
  columns: number
  /** Whether to use colors. */
  paint: (style: Parameters<typeof styleText>[0], text: string) => string
}

export function screenOf(
  { isTTY, columns = 80 }: { isTTY?: boolean; columns?: number },
  env: Record<string, string | undefined>,
): Screen {
  const hasColors = isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
  return {
    columns,
    paint: (style, text) => (hasColors ? styleText(style, text, { validateStream: false }) : text),
  }
}

const glyphs = {
  ok: ['green', '✓'],
  warning: ['yellow', '!'],
  problem: ['red', '✗'],
  skipped: ['dim', '–'],
} as const satisfies Record<DoctorStatus, readonly [string, string]>

const widest = 100

/** The report for a terminal: a line per check, and under it what to do. */
export function drawReport({ checks }: DoctorReport, { columns, paint }: Screen): string {
  const titles = Math.max(...checks.map(({ title }) => title.length))
  const indent = ' '.repeat(titles + 6)
  const width = Math.max(20, Math.min(columns, widest) - indent.length)
  const lines = checks.flatMap(({ title, status, findings }) => {
    const [style, glyph] = glyphs[status]
    const shown = status === 'ok' || status === 'skipped' ? [joined(findings)] : findings
    const text = shown.flatMap(({ message, fix }) => [
      ...wrap(message, width).map((line) => (status === 'skipped' ? paint('dim', line) : line)),
      ...(fix === null
        ? []
        : wrap(fix, width - 2).map((line, index) => `${paint('cyan', index === 0 ? '→' : ' ')} ${line}`)),
    ])
    const head = `  ${paint(style, glyph)} ${paint('bold', title)}${' '.repeat(titles - title.length + 2)}`
    return text.map((line, index) => (index === 0 ? head : indent) + line)
  })
  return ['', ...lines, '', `  ${verdict(checks, paint)}`].join('\n')
}

/** Several findings that are all fine fit one paragraph. */
function joined(findings: readonly { message: string }[]): { message: string; fix: null } {
  return { message: findings.map(({ message }) => message).join(' '), fix: null }
}

function verdict(checks: DoctorReport['checks'], paint: Screen['paint']): string {
  const count = (status: DoctorStatus) =>
    checks.flatMap(({ findings }) => findings.filter((one) => one.status === status)).length
  const [problems, warnings] = [count('problem'), count('warning')]
  if (problems + warnings === 0) return paint('green', 'Everything is fine.')
  const parts = [
    ...(problems > 0 ? [paint('red', problems === 1 ? '1 problem' : `${problems} problems`)] : []),
    ...(warnings > 0 ? [paint('yellow', warnings === 1 ? '1 warning' : `${warnings} warnings`)] : []),
  ]
  return `${parts.join(', ')}.`
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** 1 if something must be fixed; with `strict`, also for warnings. */
export function exitCode({ checks }: DoctorReport, strict: boolean): 0 | 1 {
  return checks.some(({ status }) => status === 'problem' || (strict && status === 'warning')) ? 1 : 0
}
