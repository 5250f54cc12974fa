import { type HtmlHandling, htmlHandlings } from '@masthead/contract/html-handling.ts'
import type { Project, ProjectChange } from '@masthead/contract/schemas/project.ts'
import { named, type Sentence, text } from './sentence.ts'

type Changeable = Extract<keyof ProjectChange, keyof Project>

const changes: Record<Changeable, (value: unknown) => Sentence> = {
  name: (value) => ['its name is now ', text(value, 'another one')],
  slug: (value) => ['its slug is now ', named(value, 'project', 'another one')],
  htmlHandling: (value) => [`paths of HTML files are “${handlingWords(value)}”`],
  singlePage: (value) => [`single page is ${onOff(value)}`],
  strictTransportSecurity: (value) => [`HTTPS alone is ${onOff(value)}`],
}

/** The settings that an event names, each with its new value. */
export function projectChanged(data: Readonly<Record<string, unknown>>): Sentence {
  const changed = Object.entries(changes).filter(([field]) => Object.hasOwn(data, field))
  const told = changed.flatMap(([field, words], index) => [index === 0 ? ': ' : ', ', ...words(data[field])])
  return ['The project was changed', ...told]
}

function handlingWords(value: unknown): string {
  const known = typeof value === 'string' && Object.hasOwn(htmlHandlings, value)
  return known ? htmlHandlings[value as HtmlHandling] : 'another way'
}

function onOff(value: unknown): string {
  return value === true ? 'on' : 'off'
}
