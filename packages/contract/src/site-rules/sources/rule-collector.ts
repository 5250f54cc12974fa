import type { HtmlHandling } from '../../project-settings.ts'
import { findByPath } from '../../site-paths/html-handling.ts'
import { RuleFindings } from '../findings.ts'
import { HeaderList } from '../header-list.ts'
import { type CountrySupport, RedirectList } from '../redirect-list.ts'
import type { RuleSetting, SiteRules, SiteSettings } from '../rules.ts'
import { closedBecause, ProtectionList, speaksOfProtection } from './protection-list.ts'

/** What decides how rules are read, besides the files. */
export interface SiteFacts {
  /** The project's settings that are not the default ones. */
  project?: Partial<SiteSettings>
  countries?: CountrySupport
  /** The paths of all files. Omitted: whether a pattern matches one is not looked at. */
  files?: Iterable<string>
  /** What all sites of the server share. Omitted if it is not known. */
  platformDomain?: string
}

/** Gathers the rules of a site from all of its files, most important file first. */
export class RuleCollector {
  readonly findings = new RuleFindings()
  readonly redirects: RedirectList
  readonly headers: HeaderList
  readonly protections = new ProtectionList()
  readonly #settings = new Map<string, RuleSetting>()
  readonly #hasFile: (path: string) => boolean
  readonly #project: Partial<SiteSettings>

  constructor(
    hasFile: (path: string) => boolean,
    { project = {}, countries = 'unknown', platformDomain }: SiteFacts,
  ) {
    this.redirects = new RedirectList(this.findings, countries)
    this.headers = new HeaderList(this.findings, platformDomain ?? null)
    this.#hasFile = hasFile
    this.#project = project
  }

  /** A file that cannot be read. If it has passwords, nobody can tell for which pages, so all of them are closed. */
  reportUnread(file: string, line: number | null, message: string, text: string): void {
    if (speaksOfProtection(text)) this.closeSite(file, line, message)
    else this.findings.add({ file, line, level: 'error', message })
  }

  /** A document is used although some of its text is lost, which matters only where a rule has it. */
  reportLostText(file: string, text: string): void {
    const at = text.indexOf('\ufffd')
    if (at === -1) return
    const line = text.slice(0, at).split('\n').length
    const message =
      'The line is not valid UTF-8, so rules in it do not mean what you wrote. Save the file as UTF-8.'
    this.findings.add({ file, line, level: 'warning', message })
  }

  /** Lets nobody in but members. */
  closeSite(file: string, line: number | null, problem: string): void {
    this.findings.add({ file, line, level: 'error', message: closedBecause(problem, '/*') })
    this.protections.add({ file, line, from: '/*', credentials: [] })
  }

  /** The first file that has a setting decides, before the project. The losing one is named. */
  addSetting(setting: RuleSetting): void {
    const { file, line, name, value } = setting
    const warn = (message: string) => this.findings.add({ file, line, level: 'warning', message })
    const earlier = this.#settings.get(name)
    if (earlier !== undefined) {
      if (earlier.value === value) return
      warn(`${earlier.file.slice(1)} sets ${name} to ${earlier.value}, which applies. Remove one of them.`)
      return
    }
    if (name === 'notFound' && !this.#hasFile(value)) {
      warn(`There is no file ${JSON.stringify(value)} for missing paths. Check its name.`)
      return
    }
    this.#settings.set(name, setting)
    const project = this.#project[name]
    if (project === undefined || project === value) return
    warn(
      `The project's settings have ${name} ${project}. This deployment has ${value}, from ${file.slice(1)}.`,
    )
  }

  /** The file that a path shows, under any of the ways in which URLs map to files. */
  fileAt(path: string): string | null {
    const stem = path.endsWith('/') ? path.slice(0, -1) : path
    const spellings = [path, `${stem}.html`, `${stem}/index.html`]
    return spellings.find((file) => this.#hasFile(file)) ?? null
  }

  /** The page that a path without a slash leads to, with one; null if there is none. */
  pageWithSlash(path: string): string | null {
    const found = findByPath({ has: this.#hasFile }, this.htmlHandling, path)
    return found?.canonical === `${path}/` ? found.file : null
  }

  /** The default if neither the files nor the project say it. */
  get htmlHandling(): HtmlHandling {
    const own = this.#settings.get('htmlHandling')
    return own?.name === 'htmlHandling' ? own.value : (this.#project.htmlHandling ?? 'auto')
  }

  get isSinglePage(): boolean {
    const own = this.#settings.get('singlePage')
    return own?.name === 'singlePage' ? own.value : this.#project.singlePage === true
  }

  get excess(): string | null {
    return this.redirects.excess ?? this.headers.excess ?? this.protections.excess
  }

  get rules(): SiteRules {
    const settings = [...this.#settings.values()]
    return {
      redirects: this.redirects.rules,
      headers: this.headers.rules,
      ...(settings.length > 0 && { settings }),
    }
  }
}
