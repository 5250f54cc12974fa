const units = [
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3_600 },
  { name: 'minute', seconds: 60 },
] as const

/** A length that was chosen as a whole number of units: "15 minutes", "6 hours". */
export function lengthWords(seconds: number): string {
  const unit = units.find((each) => seconds >= each.seconds && seconds % each.seconds === 0)
  const [count, name] = unit === undefined ? [seconds, 'second'] : [seconds / unit.seconds, unit.name]
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
