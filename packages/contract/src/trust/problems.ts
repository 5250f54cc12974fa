/** Those of trusted publishing. */
export const trustProblems = {
  token_refused: {
    status: 403,
    title: 'The token of the pipeline was refused',
    fix: '`reason` and `detail` say why. Compare the token with the trusted publishers of the account, then request a new token.',
  },
  issuer_unavailable: {
    status: 502,
    title: 'The issuer of the token cannot be asked for its keys',
    fix: '`detail` says what happened. Try again, or check the issuer of the trusted publisher.',
  },
  trusted_publisher_limit_reached: {
    status: 403,
    title: 'Too many trusted publishers',
    fix: 'Remove one you do not need.',
  },
} as const
