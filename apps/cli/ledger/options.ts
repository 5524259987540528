/** What `--workspace` is, for the commands that cannot do without. It is asked for by `requireWorkspace`, which tells the ids. */
export const WORKSPACE = 'The workspace: acc_… (required; without it, the ones there are are listed)';

/** Which forms of a time are taken, for messages. */
export const TIME_FORMS =
  'a date such as 2026-01-31, or a timestamp with a time zone such as 2026-01-31T23:59:59.999Z, from 1900 to 2999';

/** Which forms `--until` takes, for messages. */
export const UNTIL_FORMS = `a position in the event log (digits alone), ${TIME_FORMS}`;
