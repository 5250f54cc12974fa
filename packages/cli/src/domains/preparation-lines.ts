import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { wrapText } from '../terminal/layout.ts'
import type { Paint } from '../terminal/output.ts'
import type { LineContext } from './check-lines.ts'
import { recordTable } from './check-lines.ts'

/** The record that gets the certificate before the move, or how far the move is prepared. */
export function preparationLines(
  { preparation, state }: Domain,
  { width }: Pick<LineContext, 'width'>,
  paint: Paint,
): string[] {
  if (preparation === null) return []
  const { record, certificate, tested } = preparation
  if (state !== 'prepared') {
    const offer = 'Is the site live elsewhere? Set this record first to get its certificate before you move:'
    return [...wrapText(offer, width), ...recordTable([record], paint)]
  }
  const steps = [
    { word: 'Delegation found', isDone: true },
    { word: 'Site published', isDone: true },
    { word: 'Certificate in place', isDone: certificate },
    { word: 'Tested through our edge', isDone: tested },
  ]
  return [
    paint('bold', 'Preparation'),
    ...steps.map(({ word, isDone }) => `  ${isDone ? paint('green', '✓') : paint('dim', '·')} ${word}`),
  ]
}
