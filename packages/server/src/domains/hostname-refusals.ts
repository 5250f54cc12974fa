import { printableText } from '../printable-text.ts'
import { Problem } from '../problem.ts'

/** Why a name cannot be added: what is said after the name that was given. `part` is what it is about. */
export const hostnameRefusals = {
  empty: () => 'holds no name',
  mail_address: (part) => `is a mail address; did you mean ${part}?`,
  wildcard: () => 'is a wildcard, and wildcards are not supported; add each name by itself',
  address: () => 'is an IP address; a domain has a name',
  underscore: () => 'has an underscore, which names of websites cannot have',
  characters: (part) => `has the character "${part}", which names cannot have`,
  unicode: () => 'has characters that international domain names cannot have in this place',
  punycode: (part) => `has the label ${part}, which is not the encoded form of any name`,
  label_empty: () => 'has a dot at the start, or two dots in a row',
  label_too_long: (part) => `has the label ${part} of more than 63 characters as DNS counts them`,
  name_too_long: () => 'is longer than the 253 characters that DNS allows',
  hyphens: (part) =>
    `has the label ${part}, with a hyphen at its start or end or at its third and fourth place`,
  platform: (part) => `belongs to this platform, as all names under ${part} do`,
  dashboard: () => "is the address of this platform's dashboard",
  special_use: (part) => `ends in .${part}, which is no part of the public DNS`,
  no_public_certificate: (part) =>
    `ends in .${part}, which is no part of the public DNS, and no public certificate authority can sign it; ` +
    'a server with its own or a private authority can serve it',
  single_label: () => 'is a single label; a domain has at least two, such as acme.com',
  public_suffix: (part) =>
    `is a public suffix, under which others register; give your own name, such as acme.${part}`,
} as const satisfies Record<string, (part: string) => string>

export type HostnameRefusal = keyof typeof hostnameRefusals

export function refuseHostname(typed: string, reason: HostnameRefusal, part = ''): Problem {
  const sentence: (part: string) => string = hostnameRefusals[reason]
  const message = `"${printableText(typed.trim())}" ${sentence(printableText(part, 80))}`
  const detail = message.endsWith('?') ? message : `${message}.`
  return new Problem('hostname_invalid', detail, {
    extra: { reason, errors: [{ path: 'hostname', message: detail }] },
  })
}
