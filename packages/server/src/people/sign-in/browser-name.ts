/** The first match wins: Chrome also calls itself Safari, and Edge and Opera call themselves Chrome. */
const browsers: readonly [RegExp, string][] = [
  [/\bEdgi?A?\/|\bEdgiOS\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bHeadlessChrome\/|\bChrome\/|\bCriOS\/|\bChromium\//, 'Chrome'],
  [/\bVersion\/\S+ .*\bSafari\//, 'Safari'],
]

const systems: readonly [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
]

const maxLength = 400

/** A readable name for a User-Agent header: "Firefox on Linux". */
export function browserName(userAgent: string | undefined): string {
  const text = (userAgent ?? '').slice(0, maxLength)
  const browser = browsers.find(([pattern]) => pattern.test(text))?.[1]
  const system = systems.find(([pattern]) => pattern.test(text))?.[1]
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`
  const program = /^[\w .-]{1,40}/.exec(text)?.[0].trim()
  return program === undefined || program === '' || program === 'Mozilla' ? 'Unknown browser' : program
}
