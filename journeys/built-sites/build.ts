import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Packages that these pull in are taken as they were on this day. */
const asOf = '2026-11-16'

/** Each writes to `built`. */
const commands: Record<string, string[]> = {
  astro: ['astro', 'build', '--outDir', 'built'],
  docusaurus: ['docusaurus', 'build', '--out-dir', 'built'],
  eleventy: ['eleventy'],
  vite: ['vite', 'build', '--outDir', 'built'],
  vitepress: ['vitepress', 'build', '--outDir', 'built'],
}

const wanted = process.argv.slice(2)
const env = { ...process.env, ASTRO_TELEMETRY_DISABLED: '1', NO_UPDATE_NOTIFIER: '1' }

for (const tool of wanted.length === 0 ? Object.keys(commands) : wanted) {
  const command = commands[tool]
  if (command === undefined) throw new Error(`${tool} is not one of ${Object.keys(commands).join(', ')}`)
  const work = mkdtempSync(join(tmpdir(), `built-with-${tool}-`))
  const run = (program: string, ...words: string[]) =>
    execFileSync(program, words, { cwd: work, env, stdio: 'inherit' })
  try {
    cpSync(join(import.meta.dirname, tool, 'source'), work, { recursive: true })
    run('npm', 'install', '--no-audit', '--no-fund', `--before=${asOf}`)
    run('npx', ...command)
    const target = join(import.meta.dirname, tool, 'built')
    rmSync(target, { recursive: true, force: true })
    cpSync(join(work, 'built'), target, { recursive: true })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
