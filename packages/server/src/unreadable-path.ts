/**
 * What the edge asks the API for in place of a request that cannot be read, with the status to refuse it with: so it is
 * counted and answered like any other, in whichever process the API runs. Whoever asks for it themselves is refused too.
 */
export const unreadablePath = '/v1/unreadable'
